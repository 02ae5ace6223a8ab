//! GET /api/v1/admin/tester_devices/{id}

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::DeviceId;
use domain::access::ManageDevices;
use web::{Caller, NoParams, PathId, Result, problem};

use super::{TesterDevice, shape};

/// One tester device of the brand. Its `ETag` is of what people change; the use of its token moves without it.
#[utoipa::path(
    get, path = "/api/v1/admin/tester_devices/{id}", tag = "admin", operation_id = "get_tester_device",
    security(("session" = [])),
    params(("id" = i64, Path, description = "The device's id")),
    extensions(("x-permission" = json!("manage_devices"))),
    responses(
        (status = 200, description = "The device", body = TesterDevice,
            headers(("ETag" = String, description = "Its version, for If-Match"))),
        problem::Unauthenticated, problem::Forbidden, problem::NotFound,
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
