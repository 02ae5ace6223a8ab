//! POST /api/v1/reports/{id}/remake

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::ReportId;
use domain::access::ReadInsights;
use web::{Caller, NoParams, PathId, ReportRecord, Result, problem};

use super::shape;

/// Make the files of a report again
///
/// The files are made from the stored figures, with the names as they are now: the numbers stay the same, even if the facts have
/// changed since. The files that exist can be downloaded until the new one is there. A report that is not finished is left as it is.
///
/// Fails with 403 `not_yours` unless you are the author or manage the brand, with 409 `no_figures` if the report failed, expired or was
/// deleted, and with 409 `too_many_reports` if 20 reports that you asked for are not finished, or too many of the brand.
#[web::operation(
    post, path = "/api/v1/reports/{id}/remake", tag = "reports", operation_id = "remake_report",
    params(("id" = i64, Path, description = "Identifier of the report")),
    responses(
        (status = 200, description = "The report, which is queued again", body = ReportRecord,
            headers(("ETag" = String, description = "Version of the resource"))),
        problem::NotFound, problem::Conflict,
    ),
)]
pub async fn remake_report(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadInsights>,
    PathId(id): PathId,
    _: NoParams,
) -> Result {
    let view = app.remake_report(&caller, ReportId(id)).await?;
    let version = view.report.version;
    Ok(web::with_etag(web::json_response(&shape(view)), version, None))
}
