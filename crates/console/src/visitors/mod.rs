//! /visitors: who is on site now, check-in and check-out at the gate, and one visit with its incursions.

mod check_in;
mod check_out;
mod correct;
mod incursions;
mod list;
mod show;
mod site_zones;
pub mod visits;

use axum::Router;
use axum::routing::{get, post};
use domain::{Invalid, TimeZone, Timestamp};
use serde_json::Value;
use texts::console::visitors as t;
use web::EdgeState;

use crate::done::Done;
use crate::form::local_instant;

const CHECKED_IN: Done = Done { code: "visitor-checked-in", text: t::CHECKED_IN, undo: None };
const CHECKED_OUT: Done =
    Done { code: "visitor-checked-out", text: t::CHECKED_OUT, undo: Some("/visitors/{id}/reopen") };
const REOPENED: Done = Done { code: "visitor-reopened", text: t::REOPENED, undo: None };
const CORRECTED: Done = Done { code: "visit-corrected", text: t::CORRECTED, undo: None };

pub const DONE: &[Done] = &[CHECKED_IN, CHECKED_OUT, REOPENED, CORRECTED];

const PATH: &str = "/visitors";

pub fn routes() -> Router<EdgeState> {
    Router::new()
        .route(PATH, get(list::show))
        .route("/visitors/check-in", get(check_in::show).post(check_in::save))
        .route("/visitors/{id}", get(show::show).post(correct::save))
        .route("/visitors/{id}/check-out", post(check_out::check_out))
        .route("/visitors/{id}/reopen", post(check_out::reopen))
}

/// Reads a time as `<input type="datetime-local">` sends it, by the clocks of a time zone.
fn read_local_time(zone: &TimeZone) -> impl FnOnce(&Value) -> Result<Timestamp, Invalid> {
    move |value: &Value| {
        let at = value.as_str().and_then(|text| local_instant(text, zone));
        at.ok_or_else(|| Invalid::new("invalid_time", "must be a date with a time"))
    }
}
