//! /settings/audit-log: who did what, and when.

mod details;
mod list;

use axum::Router;
use axum::routing::get;
use web::EdgeState;

const PATH: &str = "/settings/audit-log";

pub fn routes() -> Router<EdgeState> {
    Router::new().route(PATH, get(list::show))
}
