//! /api/v1/base_stations/{id}/video_clips: the video that a base station was asked for.

mod create;
mod list;

use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use web::EdgeState;

pub fn routes() -> OpenApiRouter<EdgeState> {
    OpenApiRouter::new().routes(routes!(list::list_station_clips, create::request_clip))
}
