//! /settings/sessions: where the reader is signed in.

mod list;

use axum::Router;
use axum::routing::{get, post};
use texts::console::settings::sessions as t;
use web::EdgeState;

use crate::done::Done;

pub const ENDED: Done = Done { code: "session-ended", text: t::ENDED, undo: None };
pub const OTHERS_ENDED: Done = Done { code: "other-sessions-ended", text: t::OTHERS_ENDED, undo: None };

const PATH: &str = "/settings/sessions";

pub fn routes() -> Router<EdgeState> {
    Router::new()
        .route(PATH, get(list::show))
        .route("/settings/sessions/{id}/end", post(list::end))
        .route("/settings/sessions/end-others", post(list::end_others))
}
