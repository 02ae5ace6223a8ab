//! POST and DELETE /api/v1/admin/tester_devices/{id}/token

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::access::ManageDevices;
use domain::{DeviceId, DeviceKind};
use web::{FreshCaller, NoParams, PathId, Result, problem};

use super::{TesterDevice, shape};
use crate::admin::tokens::{self, IssuedToken};

type IssuedTesterDeviceToken = IssuedToken<TesterDevice>;

/// Issue a tester device token
///
/// The token is shown only in this answer. An older token stops working immediately.
///
/// Fails with 403 `restricted` if your access is restricted to projects.
#[web::operation(
    post, path = "/api/v1/admin/tester_devices/{id}/token", tag = "admin", operation_id = "issue_tester_token",
    params(("id" = i64, Path, description = "Identifier of the tester device")),
    responses(
        (status = 201, description = "The new token and its device", body = IssuedTesterDeviceToken),
        problem::NotFound,
    ),
)]
pub async fn issue_tester_token(
    State(app): State<Arc<App>>,
    FreshCaller(caller): FreshCaller<ManageDevices>,
    PathId(id): PathId,
    _: NoParams,
) -> Result {
    let issued = app.issue_device_token(&caller, (DeviceKind::Tester, DeviceId(id))).await?;
    let device = app.find_tester_device(&caller, DeviceId(id)).await?;
    Ok(tokens::issued_token_response(&format!("/api/v1/admin/tester_devices/{id}"), issued, shape(device)))
}

/// Revoke a tester device token
///
/// The operation is idempotent.
///
/// Fails with 403 `restricted` if your access is restricted to projects.
#[web::operation(
    delete, path = "/api/v1/admin/tester_devices/{id}/token", tag = "admin", operation_id = "revoke_tester_token",
    params(("id" = i64, Path, description = "Identifier of the tester device")),
    responses(
        (status = 200, description = "The tester device without a token", body = TesterDevice),
        problem::NotFound,
    ),
)]
pub async fn revoke_tester_token(
    State(app): State<Arc<App>>,
    FreshCaller(caller): FreshCaller<ManageDevices>,
    PathId(id): PathId,
    _: NoParams,
) -> Result {
    app.revoke_device_token(&caller, (DeviceKind::Tester, DeviceId(id))).await?;
    Ok(web::json_response(&shape(app.find_tester_device(&caller, DeviceId(id)).await?)))
}
