//! DELETE /api/v1/report_schedules/{id}

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::ReportScheduleId;
use domain::access::ScheduleReports;
use web::{Caller, IfMatchHeader, Params, PathId, Result, problem};

use super::{ReachParams, ReportSchedule, shape};

/// Delete a report schedule
///
/// Its reports stay, and links in its mails work until they expire. Mails that have not been sent yet are not sent any more. Those who
/// manage the brand also delete schedules of others with `all=true`.
///
/// Fails with 403 `restricted` with `all=true` if your access is restricted to projects.
#[web::operation(
    delete, path = "/api/v1/report_schedules/{id}", tag = "reports", operation_id = "delete_report_schedule",
    params(
        ("id" = i64, Path, description = "Identifier of the schedule"),
        ("all" = Option<bool>, Query, description = "`true` also finds schedules of others, if you manage the brand"),
        ("If-Match" = Option<String>, Header, description = "ETag of the version you have read; the answer is 412 if it has changed since"),
    ),
    responses(
        (status = 200, description = "The deleted schedule", body = ReportSchedule),
        problem::NotFound, problem::PreconditionFailed,
    ),
)]
pub async fn delete_report_schedule(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ScheduleReports>,
    PathId(id): PathId,
    IfMatchHeader(if_match): IfMatchHeader,
    Params(ReachParams(reach)): Params<ReachParams>,
) -> Result {
    let deleted = app.delete_report_schedule(&caller, ReportScheduleId(id), reach, &if_match).await?;
    Ok(web::json_response(&shape(deleted)))
}
