//! /api/v2/insights: charts of incursions and runtime.

mod charts;

use utoipa_axum::router::OpenApiRouter;
use web::EdgeState;

pub fn routes() -> OpenApiRouter<EdgeState> {
    charts::routes()
}
