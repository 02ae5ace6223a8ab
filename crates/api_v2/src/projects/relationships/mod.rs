//! /api/v2/projects/{id}/relationships

mod worksites;

use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use web::EdgeState;

pub fn routes() -> OpenApiRouter<EdgeState> {
    OpenApiRouter::new().routes(routes!(
        worksites::get::get_worksite_links,
        worksites::add::add_worksite_links,
        worksites::replace::replace_worksite_links,
        worksites::remove::remove_worksite_links
    ))
}
