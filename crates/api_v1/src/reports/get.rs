//! GET /api/v1/reports/{id}

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::ReportId;
use domain::access::ReadInsights;
use web::{Caller, IfNoneMatchHeader, NoParams, PathId, ReportRecord, Result, problem};

use super::shape;

/// Get a report
///
/// Returns its state and progress, and the path of its files once it is ready.
#[web::operation(
    get, path = "/api/v1/reports/{id}", tag = "reports", operation_id = "get_report",
    params(
        ("id" = i64, Path, description = "Identifier of the report"),
        ("If-None-Match" = Option<String>, Header, description = "ETag of the copy you have; the answer is 304 if it is still current"),
    ),
    responses(
        (status = 200, description = "The report", body = ReportRecord,
            headers(("ETag" = String, description = "Version of the resource"))),
        (status = 304, description = "Not modified: your copy is current"),
        problem::NotFound,
    ),
)]
pub async fn get_report(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadInsights>,
    PathId(id): PathId,
    if_none_match: IfNoneMatchHeader,
    _: NoParams,
) -> Result {
    let view = app.find_report(&caller, ReportId(id)).await?;
    let version = view.report.version;
    Ok(web::with_etag(web::json_response(&shape(view)), version, Some(&if_none_match)))
}
