//! /api/v2/insights: what the facts come to, ready to be plotted.

mod charts;

use utoipa_axum::router::OpenApiRouter;
use web::EdgeState;

pub fn routes() -> OpenApiRouter<EdgeState> {
    charts::routes()
}
