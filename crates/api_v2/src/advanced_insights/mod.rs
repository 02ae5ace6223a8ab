//! /api/v2/advanced_insights: measures by anything, in plain JSON.

mod pivot;

use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use web::EdgeState;

pub fn routes() -> OpenApiRouter<EdgeState> {
    OpenApiRouter::new().routes(routes!(pivot::make_pivot))
}
