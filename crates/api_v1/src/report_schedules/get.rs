//! GET /api/v1/report_schedules/{id}

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::ReportScheduleId;
use domain::access::ScheduleReports;
use web::{Caller, Params, PathId, Result, problem};

use super::{ReachParams, ReportSchedule, shape};

/// Get a report schedule
///
/// Schedules of others are not found, unless you manage the brand and ask with `all=true`.
///
/// Fails with 403 `restricted` with `all=true` if your access is restricted to projects.
#[web::operation(
    get, path = "/api/v1/report_schedules/{id}", tag = "reports", operation_id = "get_report_schedule",
    params(
        ("id" = i64, Path, description = "Identifier of the schedule"),
        ("all" = Option<bool>, Query, description = "`true` also finds schedules of others, if you manage the brand"),
    ),
    responses(
        (status = 200, description = "The schedule", body = ReportSchedule,
            headers(("ETag" = String, description = "Version of the resource, for If-Match"))),
        problem::NotFound,
    ),
)]
pub async fn get_report_schedule(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ScheduleReports>,
    PathId(id): PathId,
    Params(ReachParams(reach)): Params<ReachParams>,
) -> Result {
    let found = app.find_report_schedule(&caller, ReportScheduleId(id), reach).await?;
    let version = found.schedule.version;
    Ok(web::with_etag(web::json_response(&shape(found)), version, None))
}
