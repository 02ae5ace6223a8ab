//! GET /api/v2/reports/{id}

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::ReportId;
use domain::access::ReadInsights;
use web::{Caller, IfNoneMatchHeader, PathId, Result, json_api_errors};

use super::Report;
use super::documents::objects;
use crate::json_api::{self, DocumentOf, DocumentQuery, Included, Negotiated, ResourceParams};

type ReportReading = ResourceParams<Report>;
type ReportDocument = DocumentOf<Report>;

/// Get a report
///
/// Returns its state and progress, and the path of its files once it is ready.
#[web::operation(
    get, path = "/api/v2/reports/{id}", tag = "reports", operation_id = "get_report",
    params(
        ("id" = String, Path, description = "Id of the report."),
        ("If-None-Match" = Option<String>, Header, description = "ETag of the version you have; 304 if it is still current."),
        ReportReading,
    ),
    responses(
        (status = 200, description = "The report.", body = ReportDocument, content_type = "application/vnd.api+json",
            headers(("ETag" = String, description = "Version of the report."))),
        (status = 304, description = "The version you have is still current."),
        json_api_errors::BadParams, json_api_errors::NotFound, json_api_errors::NegotiationFailed,
    ),
)]
pub async fn get_report(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadInsights>,
    _: Negotiated,
    PathId(id): PathId,
    if_none_match: IfNoneMatchHeader,
    query: DocumentQuery<ReportReading>,
) -> Result {
    let include = &query.params.include;
    let view = app.find_report(&caller, ReportId(id)).await?;
    let version = view.report.version;
    let mut included = Included::default();
    let object = objects(&app, &caller, vec![view], include, &mut included).await?.pop();
    let if_none_match = include.if_none_match(if_none_match);
    Ok(web::with_etag(json_api::related_response(&query, object, included), version, if_none_match.as_ref()))
}
