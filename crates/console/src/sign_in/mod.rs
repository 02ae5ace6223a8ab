//! /sign-in and /sign-out, and whether there is a session

mod dead_link;
mod next;
mod page;
mod session;
mod sign_out;

use axum::Router;
use axum::routing::{get, post};
use texts::console::accounts as t;
use web::EdgeState;

use crate::done::Done;

pub use dead_link::dead_link;
pub use next::{destination, keep_next};

const SIGNED_OUT: Done = Done { code: "signed-out", text: t::SIGNED_OUT, undo: None };

pub const DONE: &[Done] = &[SIGNED_OUT];

pub fn routes() -> Router<EdgeState> {
    Router::new()
        .route("/sign-in", get(page::show).post(page::sign_in))
        .route("/sign-out", post(sign_out::sign_out))
}

/// What open pages ask every minute. It needs no frame, which costs more than the answer.
pub fn frameless_routes() -> Router<EdgeState> {
    Router::new().route("/sign-in/session", get(session::check))
}
