//! /api/v1/tester: what tester devices do, with their own tokens.

mod people_assets;

use utoipa_axum::router::OpenApiRouter;
use web::EdgeState;

pub fn routes() -> OpenApiRouter<EdgeState> {
    people_assets::routes()
}
