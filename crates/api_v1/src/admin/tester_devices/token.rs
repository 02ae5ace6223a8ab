//! POST and DELETE /api/v1/admin/tester_devices/{id}/token

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::DeviceId;
use domain::access::ManageDevices;
use serde::Serialize;
use utoipa::ToSchema;
use web::{Caller, NoParams, PathId, Result, problem};

use super::{TesterDevice, shape};

/// A new token, shown this once.
#[derive(Serialize, ToSchema)]
pub struct IssuedToken {
    /// The token itself. Only a hash of it is kept.
    #[schema(example = "kct_…")]
    token: String,
    /// The device it belongs to.
    device: TesterDevice,
}

/// Issues the device's token and shows it, this once; an older one stops working at once.
#[utoipa::path(
    post, path = "/api/v1/admin/tester_devices/{id}/token", tag = "admin", operation_id = "issue_tester_token",
    security(("session" = [])),
    params(("id" = i64, Path, description = "The device's id")),
    extensions(("x-permission" = json!("manage_devices"))),
    responses(
        (status = 201, description = "Issued", body = IssuedToken),
        problem::Unauthenticated, problem::Forbidden, problem::NotFound,
    ),
)]
pub async fn issue_tester_token(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ManageDevices>,
    PathId(id): PathId,
    _: NoParams,
) -> Result {
    let (issued, device) = app.issue_tester_token(&caller, DeviceId(id)).await?;
    let location = format!("/api/v1/admin/tester_devices/{id}");
    Ok(web::created(&location, &IssuedToken { token: issued.secret, device: shape(device) }))
}

/// Ends the device's token for good. Ending it twice is fine.
#[utoipa::path(
    delete, path = "/api/v1/admin/tester_devices/{id}/token", tag = "admin", operation_id = "revoke_tester_token",
    security(("session" = [])),
    params(("id" = i64, Path, description = "The device's id")),
    extensions(("x-permission" = json!("manage_devices"))),
    responses(
        (status = 200, description = "The device, without a token", body = TesterDevice),
        problem::Unauthenticated, problem::Forbidden, problem::NotFound,
    ),
)]
pub async fn revoke_tester_token(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ManageDevices>,
    PathId(id): PathId,
    _: NoParams,
) -> Result {
    Ok(web::answer(&shape(app.revoke_tester_token(&caller, DeviceId(id)).await?)))
}
