//! /charts: charts and maps as images, for the pages that show them.

mod kinds;
mod site_map;

use axum::Router;
use axum::routing::get;
use web::EdgeState;

pub fn routes() -> Router<EdgeState> {
    Router::new().route("/charts/{kind}", get(kinds::show)).merge(site_map::routes())
}
