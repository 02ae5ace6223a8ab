//! /sites: worksites, their boundaries and machines, and who is on site.

mod assignments;
mod edit;
mod form_page;
mod list;
mod machines_panel;
mod map_image;
mod new;
mod numbers;
mod removal;
mod roll_call;
mod show;

use axum::Router;
use axum::routing::{get, post};
use domain::{TimeZone, Worksite};
use texts::console::sites as t;
use web::EdgeState;

use crate::done::Done;
use crate::frame::Frame;

const ADDED: Done = Done { code: "site-added", text: t::ADDED, undo: None };
const SAVED: Done = Done { code: "site-saved", text: t::SAVED, undo: None };
const DELETED: Done = Done { code: "site-deleted", text: t::DELETED, undo: None };
const ARCHIVED: Done =
    Done { code: "site-archived", text: t::WAS_ARCHIVED, undo: Some("/sites/{id}/restore") };
const RESTORED: Done = Done { code: "site-restored", text: t::RESTORED, undo: None };
const ASSIGNED: Done = Done { code: "site-machine-assigned", text: t::ASSIGNED, undo: None };
const UNASSIGNED: Done = Done { code: "site-machine-unassigned", text: t::UNASSIGNED, undo: None };

pub const DONE: &[Done] = &[ADDED, SAVED, DELETED, ARCHIVED, RESTORED, ASSIGNED, UNASSIGNED];

pub fn routes() -> Router<EdgeState> {
    Router::new()
        .route("/sites", get(list::show))
        .route("/sites/new", get(new::show).post(new::create))
        .route("/sites/{id}", get(show::show))
        .route("/sites/{id}/edit", get(edit::show).post(edit::save))
        .route("/sites/{id}/delete", post(removal::delete))
        .route("/sites/{id}/restore", post(removal::restore))
        .route("/sites/{id}/machines", post(assignments::assign))
        .route("/sites/{id}/machines/end", post(assignments::end))
        .route("/sites/{id}/roll-call", get(roll_call::show))
}

/// Returns the time zone of a worksite.
fn zone_of(site: &Worksite) -> TimeZone {
    // It was checked before it was stored.
    TimeZone::parse(&site.time_zone).unwrap_or_else(|_| TimeZone::utc())
}

/// Returns the kind of a worksite in the reader's language.
fn kind_of(frame: &Frame, site: &Worksite) -> &'static str {
    texts::values::worksite_kind(frame.language, site.kind.as_str())
}

/// Returns the area of a worksite, or that it has no boundary.
fn area_of(frame: &Frame, area_m2: Option<i64>) -> String {
    match area_m2 {
        Some(area) => frame.fill(t::AREA_M2, &[("n", &frame.formats().integer(area))]),
        None => frame.text(t::NO_BOUNDARY).to_owned(),
    }
}
