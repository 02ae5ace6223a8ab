//! /password-resets: asking for a link, and /password-resets/{token}: where it leads to.

mod request;
mod reset;

use axum::Router;
use axum::routing::get;
use texts::console::accounts as t;
use web::EdgeState;

use crate::done::Done;

const PATH: &str = "/password-resets";

const PASSWORD_SET: Done = Done { code: "password-reset", text: t::PASSWORD_SET, undo: None };

pub const DONE: &[Done] = &[PASSWORD_SET];

pub fn routes() -> Router<EdgeState> {
    Router::new()
        .route(PATH, get(request::show).post(request::send))
        .route("/password-resets/{token}", get(reset::show).post(reset::save))
}
