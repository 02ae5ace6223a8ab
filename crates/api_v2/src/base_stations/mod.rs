//! /api/v2/base_stations: details, GPS tracks and events of base stations.

mod events;
mod get;
mod gps_tracks;

use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use web::EdgeState;

pub fn routes() -> OpenApiRouter<EdgeState> {
    OpenApiRouter::new()
        .routes(routes!(get::get_base_station))
        .routes(routes!(gps_tracks::get_gps_tracks))
        .routes(routes!(events::list::list_events))
        .routes(routes!(events::get::get_event))
}
