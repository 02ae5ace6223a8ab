//! POST /api/v1/admin/tester_devices

use std::sync::Arc;

use app::{App, Idempotent};
use axum::extract::State;
use domain::access::ManageDevices;
use domain::{Name, Serial, WorksiteId};
use utoipa::ToSchema;
use web::{
    Caller, Fields, FromFields, IdempotencyKeyHeader, IdempotentBody, NoParams, Result, id, problem, text,
};

use super::{TesterDevice, shape};

/// Fields of a new tester device.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body for OpenAPI; it is read field by field")]
pub struct NewTesterDevice {
    /// Name of the tester device. It is unique in the brand.
    #[schema(example = "Gate 1", min_length = 1, max_length = 100)]
    name: String,
    /// Serial number printed on the tester device.
    #[schema(example = "KT-0007", min_length = 1, max_length = 64)]
    serial: Option<String>,
    /// Identifier of the worksite where the device stands.
    #[schema(example = 1)]
    worksite_id: Option<i64>,
}

pub struct NewDeviceFields(store::NewTesterDevice);

impl FromFields for NewDeviceFields {
    fn read(fields: &mut Fields) -> Option<Self> {
        let name = fields.required("name", text(Name::parse));
        let serial = fields.optional("serial", text(Serial::parse));
        let worksite = fields.optional("worksite_id", id);
        Some(Self(store::NewTesterDevice {
            name: name?,
            serial: serial?,
            worksite: worksite?.map(WorksiteId),
        }))
    }
}

/// Add a tester device
///
/// The device cannot do anything until it has a token.
///
/// Fails with 403 `restricted` if your access is restricted to projects.
#[utoipa::path(
    post, path = "/api/v1/admin/tester_devices", tag = "admin", operation_id = "create_tester_device",
    security(("session" = [])),
    params(IdempotencyKeyHeader),
    request_body = NewTesterDevice,
    extensions(("x-permission" = json!("manage_devices"))),
    responses(
        (status = 201, description = "The new tester device", body = TesterDevice),
        problem::BadBody, problem::Unauthenticated, problem::Forbidden,
    ),
)]
pub async fn create_tester_device(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ManageDevices>,
    _: NoParams,
    IdempotentBody { value: NewDeviceFields(new), key }: IdempotentBody<NewDeviceFields>,
) -> Result {
    let once = Idempotent::new(key, |device: &store::TesterDevice| {
        web::created_to_store(format!("/api/v1/admin/tester_devices/{}", device.id), &shape(device.clone()))
    });
    Ok(web::render_stored(app.create_tester_device(&caller, &new, once).await?))
}
