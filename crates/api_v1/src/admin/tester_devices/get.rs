//! GET /api/v1/admin/tester_devices/{id}

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::DeviceId;
use domain::access::ManageDevices;
use web::{Caller, NoParams, PathId, Result, problem};

use super::{TesterDevice, shape};

/// Get a tester device
///
/// The `ETag` covers the fields that people change; it does not change when the token is used.
#[web::operation(
    get, path = "/api/v1/admin/tester_devices/{id}", tag = "admin", operation_id = "get_tester_device",
    params(("id" = i64, Path, description = "Identifier of the tester device")),
    responses(
        (status = 200, description = "The tester device", body = TesterDevice,
            headers(("ETag" = String, description = "Version of the resource, for If-Match"))),
        problem::NotFound,
    ),
)]
pub async fn get_tester_device(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ManageDevices>,
    PathId(id): PathId,
    _: NoParams,
) -> Result {
    let device = app.find_tester_device(&caller, DeviceId(id)).await?;
    let version = device.version;
    Ok(web::with_etag(web::json_response(&shape(device)), version, None))
}
