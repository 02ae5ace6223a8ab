//! GET /api/v1/base_stations/{id}

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::BaseStationId;
use domain::access::ReadRegistry;
use web::{Caller, NoParams, PathId, Result, problem};

use super::{BaseStation, shape};

/// Get a base station
///
/// The `ETag` covers the fields that people change; it does not change with the status.
#[web::operation(
    get, path = "/api/v1/base_stations/{id}", tag = "base stations", operation_id = "get_base_station",
    params(("id" = i64, Path, description = "Identifier of the base station")),
    responses(
        (status = 200, description = "The base station", body = BaseStation,
            headers(("ETag" = String, description = "Version of the resource, for If-Match"))),
        problem::NotFound,
    ),
)]
pub async fn get_base_station(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadRegistry>,
    PathId(id): PathId,
    _: NoParams,
) -> Result {
    let found = app.find_base_station(&caller, BaseStationId(id)).await?;
    let version = found.station.version;
    Ok(web::with_etag(web::json_response(&shape(found)), version, None))
}
