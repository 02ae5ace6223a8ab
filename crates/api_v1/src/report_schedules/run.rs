//! POST /api/v1/report_schedules/{id}/run

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::ReportScheduleId;
use domain::access::ScheduleReports;
use web::{Caller, Params, PathId, ReportRecord, Result, problem};

use super::ReachParams;
use crate::reports;

/// Run a report schedule now
///
/// Makes the report of the period before today and mails it to the recipients, besides the slots of the schedule, also while it is paused.
/// The period ends earlier if the last day is not over yet at one of the worksites.
///
/// Fails with 409 `author_cannot_schedule` if its author was deactivated or may no longer schedule reports, with `no_recipients` if the
/// addresses of all recipients were erased, and with `too_many_reports` if 20 reports of the author are unfinished. Fails with 403
/// `restricted` with `all=true` if your access is restricted to projects.
#[web::operation(
    post, path = "/api/v1/report_schedules/{id}/run", tag = "reports", operation_id = "run_report_schedule",
    params(
        ("id" = i64, Path, description = "Identifier of the schedule"),
        ("all" = Option<bool>, Query, description = "`true` also finds schedules of others, if you manage the brand"),
    ),
    responses(
        (status = 201, description = "The report that is being made", body = ReportRecord,
            headers(("ETag" = String, description = "Version of the resource"))),
        problem::NotFound, problem::Conflict,
    ),
)]
pub async fn run_report_schedule(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ScheduleReports>,
    PathId(id): PathId,
    Params(ReachParams(reach)): Params<ReachParams>,
) -> Result {
    let report = app.run_report_schedule(&caller, ReportScheduleId(id), reach).await?;
    let (path, version) = (format!("{}/{}", reports::PATH, report.id), report.version);
    Ok(web::with_etag(web::created_response(&path, &reports::shape(report)), version, None))
}
