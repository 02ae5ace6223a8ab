//! /reports/schedules: reports that are made and mailed by themselves.

mod actions;
mod edit;
mod fields;
mod form;
mod list;
mod new;
mod show;
mod words;

use app::{App, Error, ScheduleReach, ScheduleView};
use axum::Router;
use axum::routing::{get, post};
use domain::ReportScheduleId;
use domain::access::{ManageBrand, ScheduleReports};
use texts::console::report_schedules as t;
use web::EdgeState;

use crate::done::Done;
use crate::frame::Frame;

pub const CREATED: Done = Done { code: "report-schedule-created", text: t::CREATED, undo: None };
pub const SAVED: Done = Done { code: "report-schedule-saved", text: t::SAVED, undo: None };
pub const PAUSED: Done = Done {
    code: "report-schedule-paused",
    text: t::WAS_PAUSED,
    undo: Some("/reports/schedules/{id}/resume"),
};
pub const RESUMED: Done = Done { code: "report-schedule-resumed", text: t::WAS_RESUMED, undo: None };
pub const RUN: Done = Done { code: "report-schedule-run", text: t::WAS_RUN, undo: None };
pub const DELETED: Done = Done { code: "report-schedule-deleted", text: t::WAS_DELETED, undo: None };

pub fn routes() -> Router<EdgeState> {
    Router::new()
        .route("/reports/schedules", get(list::show))
        .route("/reports/schedules/new", get(new::show).post(new::create))
        .route("/reports/schedules/{id}", get(show::show))
        .route("/reports/schedules/{id}/edit", get(edit::show).post(edit::save))
        .route("/reports/schedules/{id}/pause", post(actions::pause))
        .route("/reports/schedules/{id}/resume", post(actions::resume))
        .route("/reports/schedules/{id}/run", post(actions::run))
        .route("/reports/schedules/{id}/delete", post(actions::delete))
}

/// Whose schedules the reader sees: those who manage the brand and see all projects see those of everybody.
fn reach(frame: &Frame) -> ScheduleReach {
    let is_unrestricted = frame.identity().is_some_and(|identity| identity.project_ids().is_none());
    match is_unrestricted && frame.may::<ManageBrand>() {
        true => ScheduleReach::Brand,
        false => ScheduleReach::Own,
    }
}

async fn find(
    app: &App,
    frame: &Frame,
    caller: &app::Caller<ScheduleReports>,
    id: i64,
) -> Result<ScheduleView, Error> {
    app.find_report_schedule(caller, ReportScheduleId(id), reach(frame)).await
}

fn path_of(view: &ScheduleView) -> String {
    format!("/reports/schedules/{}", view.schedule.id)
}
