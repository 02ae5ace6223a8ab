//! POST and DELETE /api/v1/admin/base_stations/{id}/token

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::access::ManageDevices;
use domain::{BaseStationId, DeviceId, DeviceKind};
use web::{FreshCaller, NoParams, PathId, Result, problem};

use super::{StationDevice, shape};
use crate::admin::tokens::{self, IssuedToken};

type IssuedStationDeviceToken = IssuedToken<StationDevice>;

/// Issue a base station token
///
/// The token is shown only in this answer. An older token stops working immediately.
///
/// Fails with 403 `restricted` if your access is restricted to projects and the base station was outside them within the last 400 days,
/// because it may still send events of that time.
#[web::operation(
    post, path = "/api/v1/admin/base_stations/{id}/token", tag = "admin", operation_id = "issue_station_token",
    params(("id" = i64, Path, description = "Identifier of the base station")),
    responses(
        (status = 201, description = "The new token and its device", body = IssuedStationDeviceToken),
        problem::NotFound,
    ),
)]
pub async fn issue_station_token(
    State(app): State<Arc<App>>,
    FreshCaller(caller): FreshCaller<ManageDevices>,
    PathId(id): PathId,
    _: NoParams,
) -> Result {
    let issued = app.issue_device_token(&caller, (DeviceKind::Station, DeviceId(id))).await?;
    let station = app.find_base_station(&caller, BaseStationId(id)).await?;
    Ok(tokens::issued_token_response(&format!("/api/v1/admin/base_stations/{id}"), issued, shape(station)))
}

/// Revoke a base station token
///
/// The operation is idempotent.
#[web::operation(
    delete, path = "/api/v1/admin/base_stations/{id}/token", tag = "admin", operation_id = "revoke_station_token",
    params(("id" = i64, Path, description = "Identifier of the base station")),
    responses(
        (status = 200, description = "The base station without a token", body = StationDevice),
        problem::NotFound,
    ),
)]
pub async fn revoke_station_token(
    State(app): State<Arc<App>>,
    FreshCaller(caller): FreshCaller<ManageDevices>,
    PathId(id): PathId,
    _: NoParams,
) -> Result {
    app.revoke_device_token(&caller, (DeviceKind::Station, DeviceId(id))).await?;
    Ok(web::json_response(&shape(app.find_base_station(&caller, BaseStationId(id)).await?)))
}
