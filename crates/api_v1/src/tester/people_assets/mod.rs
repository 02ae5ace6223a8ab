//! /api/v1/tester/people_assets: the people of the device's brand.

mod create;
mod get;
mod list;

use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use web::EdgeState;

pub fn routes() -> OpenApiRouter<EdgeState> {
    OpenApiRouter::new()
        .routes(routes!(list::list_people_assets, create::create_person_asset))
        .routes(routes!(get::get_person_asset))
}
