//! GET /api/v2/reports

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::access::ReadInsights;
use domain::{Listing, ReportFilter};
use web::{Caller, Result, json_api_errors};

use super::documents::objects;
use super::{ListFilter, Report};
use crate::json_api::{
    self, CollectionParams, DocumentQuery, Included, ListOf, Negotiated, with_cursor_parameter,
};

type ReportListing = CollectionParams<Report>;
type ReportList = ListOf<Report>;

/// List reports
///
/// Returns the reports whose projects and names you may see, the newest first. Those that failed or expired are listed for 90 days.
#[web::operation(
    get, path = "/api/v2/reports", tag = "reports", operation_id = "list_reports",
    params(ReportListing),
    responses(
        (status = 200, description = "A page of reports.", body = ReportList, content_type = "application/vnd.api+json"),
        json_api_errors::BadParams, json_api_errors::NegotiationFailed,
    ),
)]
pub async fn list_reports(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadInsights>,
    _: Negotiated,
    query: DocumentQuery<ReportListing>,
) -> Result {
    let CollectionParams { filter: ListFilter { filter, mine }, window, include, sorting, total, .. } =
        &query.params;
    let filter = ReportFilter { author: mine.then_some(caller.identity.user), ..filter.clone() };
    let found = app.list_reports(&caller, &filter, *sorting, window, *total).await;
    let Listing { rows, previous, next, total, changes } =
        found.map_err(|error| with_cursor_parameter(error, &window.position))?;
    let mut included = Included::default();
    let rows = objects(&app, &caller, rows, include, &mut included).await?;
    Ok(json_api::listing_response(&query, &Listing { rows, previous, next, total, changes }, included))
}
