//! /api/v1/sessions: the caller's own sessions.

mod delete;
mod list;

use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use web::EdgeState;

pub fn routes() -> OpenApiRouter<EdgeState> {
    OpenApiRouter::new().routes(routes!(list::list_sessions)).routes(routes!(delete::delete_own_session))
}
