//! /settings/machines: the machines of the registry.

mod edit;
mod fields;
mod list;

use axum::Router;
use axum::routing::{get, post};
use domain::NewMachine;
use texts::console::settings::machines as t;
use web::EdgeState;

use crate::done::Done;
use crate::settings::imports;

pub const ADDED: Done = Done { code: "machine-added", text: t::ADDED, undo: None };
pub const SAVED: Done = Done { code: "machine-saved", text: t::SAVED, undo: None };
pub const ARCHIVED: Done =
    Done { code: "machine-archived", text: t::ARCHIVED, undo: Some("/settings/machines/{id}/restore") };
pub const RESTORED: Done = Done { code: "machine-restored", text: t::RESTORED, undo: None };

const PATH: &str = "/settings/machines";

pub fn routes() -> Router<EdgeState> {
    Router::new()
        .route(PATH, get(list::show).post(list::create))
        .route(
            "/settings/machines/import",
            get(imports::show::<NewMachine>).post(imports::send::<NewMachine>),
        )
        .route("/settings/machines/{id}", get(edit::show).post(edit::save))
        .route("/settings/machines/{id}/archive", post(edit::archive))
        .route("/settings/machines/{id}/restore", post(edit::restore))
}
