//! GET /api/v2/machines/{id}/tracks

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::MachineId;
use domain::access::ReadInsights;
use web::{Caller, Params, PathId, Result, json_api_errors};

use crate::base_stations::gps_tracks::{TrackParams, Tracks};

/// Get the GPS track of a machine
///
/// Returns GeoJSON lines with the time at each vertex, up to 100,000 vertices: the tracks of the base stations that were installed on the
/// machine, each for the time that it was. If your access is restricted to projects, only the times at which the machine was in one of
/// them are returned.
#[web::operation(
    get, path = "/api/v2/machines/{id}/tracks", tag = "machines", operation_id = "get_machine_tracks",
    params(
        ("id" = i64, Path, description = "Id of the machine."),
        ("from" = Option<String>, Query, description = "Start of the period: a time (RFC 3339), or a date, which begins by the local \
            time of the worksite where the machine is now. At most 31 days before `to`. Default: 24 hours before `to`."),
        ("to" = Option<String>, Query, description = "End of the period, exclusive; a time or a date, as in `from`. Default: now."),
        ("simplify_m" = Option<f64>, Query, minimum = 0, maximum = 100, description = "Tolerance in metres: positions at most this far from \
            the simplified line are left out. Default: all positions are returned."),
    ),
    responses(
        (status = 200, description = "The GPS track as a feature collection.", body = Tracks, content_type = "application/geo+json"),
        json_api_errors::BadParams, json_api_errors::NotFound,
    ),
)]
pub async fn get_machine_tracks(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadInsights>,
    PathId(id): PathId,
    Params(TrackParams(request)): Params<TrackParams>,
) -> Result {
    let lines = app.list_machine_tracks(&caller, MachineId(id), request).await?;
    Ok(web::geo_json_response(&Tracks::from_lines(lines)))
}
