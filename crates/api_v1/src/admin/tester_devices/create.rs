//! POST /api/v1/admin/tester_devices

use std::sync::Arc;

use app::{App, Idempotent};
use axum::extract::State;
use domain::access::ManageDevices;
use domain::{Name, Serial, WorksiteId};
use web::{Caller, IdempotentBody, NoParams, Result, problem};

use super::{TesterDevice, shape};

/// Fields of a new tester device.
#[web::body(into = domain::NewTesterDevice)]
pub struct NewTesterDevice {
    /// Name of the tester device. It is unique in the brand.
    #[schema(example = "Gate 1", min_length = 1, max_length = 100)]
    name: Name,
    /// Serial number printed on the tester device.
    #[schema(example = "KT-0007", min_length = 1, max_length = 64)]
    serial: Option<Serial>,
    /// Identifier of the worksite where the device stands.
    #[schema(example = 1)]
    #[field(into = worksite)]
    worksite_id: Option<WorksiteId>,
}

/// Add a tester device
///
/// The device cannot do anything until it has a token.
///
/// Fails with 403 `restricted` if your access is restricted to projects.
#[web::operation(
    post, path = "/api/v1/admin/tester_devices", tag = "admin", operation_id = "create_tester_device",
    request_body = NewTesterDevice,
    responses(
        (status = 201, description = "The new tester device", body = TesterDevice),
        problem::BadBody,
    ),
)]
pub async fn create_tester_device(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ManageDevices>,
    _: NoParams,
    IdempotentBody { value: new, key }: IdempotentBody<NewTesterDevice>,
) -> Result {
    let once = Idempotent::new(key, |device: &domain::TesterDevice| {
        web::created_to_store(format!("/api/v1/admin/tester_devices/{}", device.id), &shape(device.clone()))
            .with_version(device.version)
    });
    let new = domain::NewTesterDevice::from(new);
    Ok(web::render_stored(app.create_tester_device(&caller, &new, once).await?))
}
