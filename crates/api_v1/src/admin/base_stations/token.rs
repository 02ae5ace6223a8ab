//! POST and DELETE /api/v1/admin/base_stations/{id}/token

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::access::ManageDevices;
use domain::{BaseStationId, DeviceId, DeviceKind};
use web::{FreshCaller, NoParams, PathId, Result, problem};

use super::{StationDevice, shape};
use crate::admin::tokens::{self, IssuedToken};

/// Issues the base station's token and shows it, this once; an older one stops working at once.
///
/// 403 `restricted` if you are restricted to projects and the base station was outside of them within the last 400 days, of which its
/// events may tell.
#[utoipa::path(
    post, path = "/api/v1/admin/base_stations/{id}/token", tag = "admin", operation_id = "issue_station_token",
    security(("session" = ["fresh_proof"])),
    params(("id" = i64, Path, description = "The base station's id")),
    extensions(("x-permission" = json!("manage_devices"))),
    responses(
        (status = 201, description = "Issued", body = IssuedToken<StationDevice>),
        problem::Unauthenticated, problem::Forbidden, problem::NotFound,
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

/// Ends the base station's token for good. Ending it twice is fine.
#[utoipa::path(
    delete, path = "/api/v1/admin/base_stations/{id}/token", tag = "admin", operation_id = "revoke_station_token",
    security(("session" = ["fresh_proof"])),
    params(("id" = i64, Path, description = "The base station's id")),
    extensions(("x-permission" = json!("manage_devices"))),
    responses(
        (status = 200, description = "The base station, without a token", body = StationDevice),
        problem::Unauthenticated, problem::Forbidden, problem::NotFound,
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
