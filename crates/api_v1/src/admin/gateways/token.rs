//! POST and DELETE /api/v1/admin/gateways/{id}/token

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::access::ManageDevices;
use domain::{DeviceId, DeviceKind};
use web::{FreshCaller, NoParams, PathId, Result, problem};

use super::{Gateway, shape};
use crate::admin::tokens::{self, IssuedToken};

type IssuedGatewayToken = IssuedToken<Gateway>;

/// Issue a gateway token
///
/// The token is shown only in this answer. An older token stops working immediately.
///
/// Fails with 403 `restricted` if your access is restricted to projects.
#[web::operation(
    post, path = "/api/v1/admin/gateways/{id}/token", tag = "admin", operation_id = "issue_gateway_token",
    params(("id" = i64, Path, description = "Identifier of the gateway")),
    responses(
        (status = 201, description = "The new token and its device", body = IssuedGatewayToken),
        problem::NotFound,
    ),
)]
pub async fn issue_gateway_token(
    State(app): State<Arc<App>>,
    FreshCaller(caller): FreshCaller<ManageDevices>,
    PathId(id): PathId,
    _: NoParams,
) -> Result {
    let issued = app.issue_device_token(&caller, (DeviceKind::Gateway, DeviceId(id))).await?;
    let gateway = app.find_gateway(&caller, DeviceId(id)).await?;
    Ok(tokens::issued_token_response(&format!("/api/v1/admin/gateways/{id}"), issued, shape(gateway)))
}

/// Revoke a gateway token
///
/// The operation is idempotent.
///
/// Fails with 403 `restricted` if your access is restricted to projects.
#[web::operation(
    delete, path = "/api/v1/admin/gateways/{id}/token", tag = "admin", operation_id = "revoke_gateway_token",
    params(("id" = i64, Path, description = "Identifier of the gateway")),
    responses(
        (status = 200, description = "The gateway without a token", body = Gateway),
        problem::NotFound,
    ),
)]
pub async fn revoke_gateway_token(
    State(app): State<Arc<App>>,
    FreshCaller(caller): FreshCaller<ManageDevices>,
    PathId(id): PathId,
    _: NoParams,
) -> Result {
    app.revoke_device_token(&caller, (DeviceKind::Gateway, DeviceId(id))).await?;
    Ok(web::json_response(&shape(app.find_gateway(&caller, DeviceId(id)).await?)))
}
