//! GET /api/v2/advanced_insights/site_reports

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::Listing;
use domain::access::ReadInsights;
use web::{Caller, Result, json_api_errors};

use super::SiteReport;
use super::documents::objects;
use crate::json_api::{
    self, CollectionParams, DocumentQuery, Included, ListOf, Negotiated, with_cursor_parameter,
};

type SiteReportListing = CollectionParams<SiteReport>;
type SiteReportList = ListOf<SiteReport>;

/// List site reports
///
/// Returns the written site reports whose projects you may see, the newest first. Those that failed or expired are listed for 90 days.
#[web::operation(
    get, path = "/api/v2/advanced_insights/site_reports", tag = "site reports", operation_id = "list_site_reports",
    params(SiteReportListing),
    responses(
        (status = 200, description = "A page of site reports.", body = SiteReportList, content_type = "application/vnd.api+json"),
        json_api_errors::BadParams, json_api_errors::NegotiationFailed,
    ),
)]
pub async fn list_site_reports(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadInsights>,
    _: Negotiated,
    query: DocumentQuery<SiteReportListing>,
) -> Result {
    let CollectionParams { filter, window, include, sorting, total, .. } = &query.params;
    let found = app.list_site_reports(&caller, filter, *sorting, window, *total).await;
    let Listing { rows, previous, next, total, changes } =
        found.map_err(|error| with_cursor_parameter(error, &window.position))?;
    let mut included = Included::default();
    let rows = objects(&app, &caller, rows, include, &mut included).await?;
    Ok(json_api::listing_response(&query, &Listing { rows, previous, next, total, changes }, included))
}
