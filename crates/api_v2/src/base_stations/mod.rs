//! /api/v2/base_stations: base stations, their details, GPS tracks and events.

mod events;
mod get;
pub mod gps_tracks;
mod list;
mod resource;

use web::{OperationRouter, routes};

pub use resource::{BaseStation, DEFINITION, object};

/// Returns the routes that answer with JSON:API documents, always or if `Accept` names them.
pub fn resource_routes() -> OperationRouter {
    OperationRouter::new().routes(routes!(list::list_base_stations)).routes(routes!(get::get_base_station))
}

pub fn routes() -> OperationRouter {
    OperationRouter::new()
        .routes(routes!(gps_tracks::get_gps_tracks))
        .routes(routes!(events::list::list_events))
        .routes(routes!(events::get::get_event))
}
