//! /settings/preferences: how things are shown to the reader.

mod dimensions;
mod fields;
mod page;

use axum::Router;
use axum::routing::{get, post};
use texts::console::settings::preferences as t;
use web::EdgeState;

use crate::done::Done;

pub const SAVED: Done = Done { code: "preferences-saved", text: t::SAVED, undo: None };
pub const DIMENSIONS_SAVED: Done = Done { code: "dimensions-saved", text: t::DIMENSIONS_SAVED, undo: None };

const PATH: &str = "/settings/preferences";
const DIMENSIONS_PATH: &str = "/settings/preferences/dimensions";

pub fn routes() -> Router<EdgeState> {
    Router::new()
        .route(PATH, get(page::show).post(page::save))
        .route(DIMENSIONS_PATH, post(page::save_dimensions))
}
