//! /settings/brand: what holds for everybody of the brand, and its logo.

mod fields;
mod logo;
mod page;

use axum::Router;
use axum::routing::{get, post};
use texts::console::settings::brand as t;
use web::EdgeState;

use crate::done::Done;

pub const SAVED: Done = Done { code: "brand-saved", text: t::SAVED, undo: None };
pub const LOGO_SAVED: Done = Done { code: "brand-logo-saved", text: t::LOGO_SAVED, undo: None };
pub const LOGO_REMOVED: Done = Done { code: "brand-logo-removed", text: t::LOGO_REMOVED, undo: None };

const PATH: &str = "/settings/brand";
const LOGO_PATH: &str = "/settings/brand/logo";

pub fn routes() -> Router<EdgeState> {
    Router::new()
        .route(PATH, get(page::show).post(page::save))
        .route(LOGO_PATH, get(logo::show).post(logo::upload))
        .route("/settings/brand/logo/remove", post(logo::remove))
}
