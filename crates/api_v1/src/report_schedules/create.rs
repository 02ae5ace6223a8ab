//! POST /api/v1/report_schedules

use std::sync::Arc;

use app::{App, Idempotent, ScheduleView};
use axum::extract::State;
use domain::access::{ReadInsights, ScheduleReports};
use web::{Caller, IdempotentBody, NoParams, Result, problem};

use super::fields::{NewReportSchedule, ScheduleFields};
use super::{ReportSchedule, shape};

/// Schedule a report
///
/// The report is made at every slot of the schedule and mailed to each recipient, in the recipient's language if the address belongs to a
/// user, else in that of the brand. A large file is not attached; the mail has a link to it, which expires. What the reports contain is
/// decided by what you may see when they are made. If you are deactivated or may no longer schedule reports, the schedule is paused. A
/// slot that is missed because the service is down is made up once. A run whose last day is not over yet at a worksite further west waits
/// for its end. If a run fails, you get a mail that says so.
///
/// Fails with 409 `too_many_schedules` if you already have 100.
#[web::operation(
    post, path = "/api/v1/report_schedules", tag = "reports", operation_id = "create_report_schedule",
    request_body = NewReportSchedule,
    responses(
        (status = 201, description = "The new schedule", body = ReportSchedule),
        problem::BadBody, problem::Conflict, problem::Unavailable,
    ),
)]
pub async fn create_report_schedule(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ScheduleReports>,
    _: NoParams,
    IdempotentBody { value: ScheduleFields(mut new), key }: IdempotentBody<ScheduleFields>,
) -> Result {
    // A retry gets the stored response, even if the view is gone by now.
    if new.report.saved_view.is_some() && !app.has_stored_response(key.clone()).await? {
        let reader = caller.with_permission::<ReadInsights>()?;
        web::resolve_saved_view(&app, &reader, &mut new.report).await?;
    }
    let once = Idempotent::new(key, |view: &ScheduleView| {
        let location = format!("/api/v1/report_schedules/{}", view.schedule.id);
        web::created_to_store(location, &shape(view.clone())).with_version(view.schedule.version)
    });
    Ok(web::render_stored(app.create_report_schedule(&caller, new, once).await?))
}
