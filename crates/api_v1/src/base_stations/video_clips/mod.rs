//! /api/v1/base_stations/{id}/video_clips: the video that a base station was asked for.

mod create;
mod list;

use web::{OperationRouter, routes};

pub fn routes() -> OperationRouter {
    OperationRouter::new().routes(routes!(list::list_station_clips, create::request_clip))
}
