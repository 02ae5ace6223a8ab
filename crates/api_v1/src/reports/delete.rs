//! DELETE /api/v1/reports/{id}

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::ReportId;
use domain::access::ReadInsights;
use web::{Caller, NoParams, PathId, ReportRecord, Result, problem};

use super::shape;

/// Cancel or delete a report
///
/// A report that was never ready is cancelled (`failed`); the figures and files of any other are deleted (`expired`). Repeating
/// the call has no further effect. What was mailed cannot be recalled. Fails with 403 `not_yours` unless you are the author or manage
/// the brand.
#[web::operation(
    delete, path = "/api/v1/reports/{id}", tag = "reports", operation_id = "delete_report",
    params(("id" = i64, Path, description = "Identifier of the report")),
    responses(
        (status = 200, description = "The cancelled or deleted report", body = ReportRecord,
            headers(("ETag" = String, description = "Version of the resource"))),
        problem::NotFound,
    ),
)]
pub async fn delete_report(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadInsights>,
    PathId(id): PathId,
    _: NoParams,
) -> Result {
    let view = app.delete_report(&caller, ReportId(id)).await?;
    let version = view.report.version;
    Ok(web::with_etag(web::json_response(&shape(view)), version, None))
}
