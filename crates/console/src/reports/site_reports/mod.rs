//! /reports/site-reports: what happened at a site in a few sentences, each with the facts that it rests on.

mod actions;
mod facts;
mod list;
mod order;
mod show;
mod writing;

use axum::Router;
use axum::routing::{get, post};
use texts::console::site_reports as t;
use web::EdgeState;

use crate::done::Done;

pub const ORDERED: Done = Done { code: "site-report-ordered", text: t::ORDERED, undo: None };
pub const DELETED: Done = Done { code: "site-report-deleted", text: t::DELETED, undo: None };

pub fn routes() -> Router<EdgeState> {
    Router::new()
        .route("/reports/site-reports", get(list::show).post(list::create))
        .route("/reports/site-reports/{id}", get(show::show))
        .route("/reports/site-reports/{id}/render", post(actions::render))
        .route("/reports/site-reports/{id}/delete", post(actions::delete))
}
