//! GET /api/v1/admin/base_stations/{id}

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::BaseStationId;
use domain::access::ManageDevices;
use web::{Caller, NoParams, PathId, Result, problem};

use super::{StationDevice, shape};

/// Get a base station and its token
///
/// Returns when the current token was issued and last used. The token itself is shown only when it is issued.
#[web::operation(
    get, path = "/api/v1/admin/base_stations/{id}", tag = "admin", operation_id = "get_station_device",
    params(("id" = i64, Path, description = "Identifier of the base station")),
    responses(
        (status = 200, description = "The base station", body = StationDevice),
        problem::NotFound,
    ),
)]
pub async fn get_station_device(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ManageDevices>,
    PathId(id): PathId,
    _: NoParams,
) -> Result {
    Ok(web::json_response(&shape(app.find_base_station(&caller, BaseStationId(id)).await?)))
}
