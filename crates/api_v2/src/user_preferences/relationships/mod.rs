//! /api/v2/user_preferences/relationships

mod default_view;

use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use web::EdgeState;

pub fn routes() -> OpenApiRouter<EdgeState> {
    OpenApiRouter::new().routes(routes!(
        default_view::get::get_default_view_link,
        default_view::replace::replace_default_view_link
    ))
}
