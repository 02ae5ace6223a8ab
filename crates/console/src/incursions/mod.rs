//! /incursions: the list with all filters, and one incursion with its map, its video and its reviews.

mod cells;
mod chips;
mod filters;
mod list;
mod lookup;
mod neighbours;
mod query;
mod review;
mod search;
mod show;
mod suggestions;

use axum::Router;
use axum::routing::{get, post};
use texts::console::incursions as t;
use web::EdgeState;

use crate::done::Done;

pub use cells::IncursionCells;
pub use chips::{Chip, chips};
pub use filters::{FILTERS, filter_fields};
pub use list::zones;

const REVIEWED: Done =
    Done { code: "incursion-reviewed", text: t::REVIEWED, undo: Some("/incursions/{id}/review/undo") };
const UNDONE: Done = Done { code: "incursion-review-undone", text: t::UNDONE, undo: None };
const CLIP_ASKED: Done = Done { code: "incursion-clip-asked", text: t::CLIP_ASKED, undo: None };

pub const DONE: &[Done] = &[REVIEWED, UNDONE, CLIP_ASKED];

pub fn routes() -> Router<EdgeState> {
    Router::new()
        .route("/incursions", get(list::show))
        .route("/incursions/suggestions", get(suggestions::suggest))
        .route("/incursions/{id}", get(show::show))
        .route("/incursions/{id}/review", post(review::save))
        .route("/incursions/{id}/review/undo", post(review::undo))
        .route("/incursions/{id}/clip", post(review::ask_for_clip))
}
