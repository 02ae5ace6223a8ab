//! GET /api/v1/admin/gateways/{id}

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::DeviceId;
use domain::access::ManageDevices;
use web::{Caller, NoParams, PathId, Result, problem};

use super::{Gateway, shape};

/// Get a gateway
///
/// The `ETag` covers the fields that people change; it does not change when the token is used.
#[web::operation(
    get, path = "/api/v1/admin/gateways/{id}", tag = "admin", operation_id = "get_gateway",
    params(("id" = i64, Path, description = "Identifier of the gateway")),
    responses(
        (status = 200, description = "The gateway", body = Gateway,
            headers(("ETag" = String, description = "Version of the resource, for If-Match"))),
        problem::NotFound,
    ),
)]
pub async fn get_gateway(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ManageDevices>,
    PathId(id): PathId,
    _: NoParams,
) -> Result {
    let gateway = app.find_gateway(&caller, DeviceId(id)).await?;
    let version = gateway.version;
    Ok(web::with_etag(web::json_response(&shape(gateway)), version, None))
}
