//! /explore: the pivot, saved views, exports, and the incursions behind a number.

mod editor;
mod export_form;
mod export_words;
mod exports;
mod head;
pub mod labels;
mod links;
mod page;
mod query;
mod records;
mod shades;
mod table;
mod view_address;
mod view_forms;
mod views;

use axum::Router;
use axum::routing::{get, post};
use texts::console::explore as t;
use web::EdgeState;

use crate::done::Done;

const VIEW_SAVED: Done = Done { code: "view-saved", text: t::SAVED, undo: None };
const VIEW_CHANGED: Done = Done { code: "view-changed", text: t::CHANGED, undo: None };
const VIEW_DELETED: Done = Done { code: "view-deleted", text: t::DELETED, undo: None };
const EXPORT_ORDERED: Done = Done { code: "export-ordered", text: t::EXPORT_ORDERED, undo: None };
const EXPORT_DELETED: Done = Done { code: "export-deleted", text: t::EXPORT_DELETED, undo: None };

pub const DONE: &[Done] = &[VIEW_SAVED, VIEW_CHANGED, VIEW_DELETED, EXPORT_ORDERED, EXPORT_DELETED];

pub fn routes() -> Router<EdgeState> {
    Router::new()
        .route("/explore", get(page::show))
        .route("/explore/incursions", get(records::show))
        .route("/explore/views", get(views::list).post(views::create))
        .route("/explore/views/{id}", get(views::open).post(views::change))
        .route("/explore/views/{id}/delete", post(views::delete))
        .route("/explore/exports", get(exports::list).post(exports::order))
        .route("/explore/exports/{id}", get(exports::show))
        .route("/explore/exports/{id}/delete", post(exports::delete))
        .route("/explore/exports/{id}/file", get(exports::file))
}
