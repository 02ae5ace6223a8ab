//! /api/v1/admin: what admins look after.

mod users;

use utoipa_axum::router::OpenApiRouter;
use web::EdgeState;

pub fn routes() -> OpenApiRouter<EdgeState> {
    users::routes()
}
