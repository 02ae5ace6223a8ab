//! /outliers: machines, sites and people with more or fewer incursions than their peers.

mod page;
mod sentence;

use axum::Router;
use axum::routing::get;
use web::EdgeState;

use crate::done::Done;

pub const DONE: &[Done] = &[];

pub fn routes() -> Router<EdgeState> {
    Router::new().route("/outliers", get(page::show))
}
