//! /people: the people with their figures, and one person on foot and driving.

mod figures;
mod list;
mod new_note;
mod show;
mod tags;

use axum::Router;
use axum::routing::{get, post};
use texts::console::people as t;
use web::EdgeState;

use crate::done::Done;

const NOTE_ADDED: Done = Done { code: "person-note-added", text: t::NOTE_ADDED, undo: None };

pub const DONE: &[Done] = &[NOTE_ADDED];

pub fn routes() -> Router<EdgeState> {
    Router::new()
        .route("/people", get(list::show))
        .route("/people/{id}", get(show::show))
        .route("/people/{id}/notes", post(new_note::add))
}
