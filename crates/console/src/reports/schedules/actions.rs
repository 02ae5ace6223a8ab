//! POST /reports/schedules/{id}/pause, /resume, /run and /delete
//!
//! A form that was brought back after signing in is not acted upon: the page of the schedule shows the button again.

use std::sync::Arc;

use app::{App, Error, ReportScheduleChange, ScheduleView};
use axum::extract::State;
use domain::Change;
use domain::access::ScheduleReports;
use web::{Caller, PathId, Result};

use super::edit::stale;
use super::{DELETED, PAUSED, RESUMED, RUN, find, path_of, reach};
use crate::form::Form;
use crate::frame::Frame;
use crate::response;

pub async fn pause(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ScheduleReports>,
    frame: Frame,
    PathId(id): PathId,
    form: Form,
) -> Result {
    let stored = find(&app, &frame, &caller, id).await?;
    let page = frame.link(&path_of(&stored));
    if form.has("_resumed") {
        return Ok(response::redirect(&page, None));
    }
    switch(&app, &frame, &caller, &stored, &form, true).await?;
    Ok(response::redirect(&page, Some((&PAUSED, Some(id)))))
}

pub async fn resume(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ScheduleReports>,
    frame: Frame,
    PathId(id): PathId,
    form: Form,
) -> Result {
    let stored = find(&app, &frame, &caller, id).await?;
    let page = frame.link(&path_of(&stored));
    if form.has("_resumed") {
        return Ok(response::redirect(&page, None));
    }
    switch(&app, &frame, &caller, &stored, &form, false).await?;
    Ok(response::redirect(&page, Some((&RESUMED, None))))
}

async fn switch(
    app: &App,
    frame: &Frame,
    caller: &app::Caller<ScheduleReports>,
    stored: &ScheduleView,
    form: &Form,
    paused: bool,
) -> Result<(), Error> {
    let change = ReportScheduleChange {
        name: Change::Keep,
        report: Change::Keep,
        period: Change::Keep,
        rule: Change::Keep,
        zone_worksite: Change::Keep,
        recipients: Change::Keep,
        paused: Change::Set(paused),
    };
    let changed = app.change_report_schedule(caller, stored, reach(frame), &form.if_match(), change).await?;
    match changed {
        Some(_) => Ok(()),
        None => Err(stale()),
    }
}

/// Makes and mails a report now, and shows it.
pub async fn run(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ScheduleReports>,
    frame: Frame,
    PathId(id): PathId,
    form: Form,
) -> Result {
    let stored = find(&app, &frame, &caller, id).await?;
    if form.has("_resumed") {
        return Ok(response::redirect(&frame.link(&path_of(&stored)), None));
    }
    app.run_report_schedule(&caller, stored.schedule.id, reach(&frame)).await?;
    // Its last run leads to the report, which the reader need not see: it contains what its author sees.
    Ok(response::redirect(&frame.link(&path_of(&stored)), Some((&RUN, None))))
}

pub async fn delete(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ScheduleReports>,
    frame: Frame,
    PathId(id): PathId,
    form: Form,
) -> Result {
    let stored = find(&app, &frame, &caller, id).await?;
    if form.has("_resumed") {
        return Ok(response::redirect(&frame.link(&path_of(&stored)), None));
    }
    app.delete_report_schedule(&caller, stored.schedule.id, reach(&frame), &form.if_match()).await?;
    Ok(response::redirect(&frame.link("/reports/schedules"), Some((&DELETED, None))))
}
