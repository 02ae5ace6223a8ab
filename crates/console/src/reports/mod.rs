//! /reports: documents and tables about a period, the schedules that make them, and written site reports.

mod actions;
mod choose;
mod file;
mod filters;
mod form;
mod form_page;
mod list;
mod new;
mod request;
mod schedules;
mod show;
mod site_reports;
mod subjects;
pub mod words;

use axum::Router;
use axum::routing::{get, post};
use texts::console::reports as t;
use web::EdgeState;

use crate::done::Done;

const ORDERED: Done = Done { code: "report-ordered", text: t::ORDERED, undo: None };
const REMADE: Done = Done { code: "report-remade", text: t::REMADE, undo: None };
const DELETED: Done = Done { code: "report-deleted", text: t::DELETED, undo: None };

pub const DONE: &[Done] = &[
    ORDERED,
    REMADE,
    DELETED,
    schedules::CREATED,
    schedules::SAVED,
    schedules::PAUSED,
    schedules::RESUMED,
    schedules::RUN,
    schedules::DELETED,
    site_reports::ORDERED,
    site_reports::DELETED,
];

pub fn routes() -> Router<EdgeState> {
    Router::new()
        .route("/reports", get(list::show))
        .route("/reports/new", get(new::show).post(new::create))
        .route("/reports/{id}", get(show::show))
        .route("/reports/{id}/file", get(file::show))
        .route("/reports/{id}/remake", post(actions::remake))
        .route("/reports/{id}/delete", post(actions::delete))
        .merge(schedules::routes())
        .merge(site_reports::routes())
}
