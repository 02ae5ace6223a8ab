//! PATCH /api/v1/admin/tester_devices/{id}

use std::sync::Arc;

use app::{App, TesterDeviceChange};
use axum::extract::State;
use domain::access::ManageDevices;
use domain::{Change, DeviceId, Name, Serial, WorksiteId};
use utoipa::ToSchema;
use web::{
    Caller, DeferredBody, Fields, FromFields, IfMatchHeader, NoParams, PathId, Result, id, problem, text,
};

use super::{TesterDevice, shape};

/// Changes to a tester device. Fields that are left out keep their values.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body for OpenAPI; it is read field by field")]
pub struct ChangedTesterDevice {
    /// Name of the tester device. It is unique in the brand.
    #[schema(example = "Gate 1", min_length = 1, max_length = 100, nullable = false)]
    name: Option<String>,
    /// Serial number printed on the tester device; null removes it.
    #[schema(example = "KT-0007", min_length = 1, max_length = 64)]
    serial: Option<String>,
    /// Identifier of the worksite where the device stands; null if it stands at none.
    #[schema(example = 1)]
    worksite_id: Option<i64>,
}

pub struct ChangeFields(TesterDeviceChange);

impl FromFields for ChangeFields {
    fn read(fields: &mut Fields) -> Option<Self> {
        let name = fields.change("name", text(Name::parse));
        let serial = fields.change_optional("serial", text(Serial::parse));
        let worksite = match fields.change_optional("worksite_id", id) {
            Some(Change::Set(worksite)) => Some(Change::Set(worksite.map(WorksiteId))),
            Some(Change::Keep) => Some(Change::Keep),
            None => None,
        };
        Some(Self(TesterDeviceChange { name: name?, serial: serial?, worksite: worksite? }))
    }
}

/// Change a tester device
///
/// Fails with 403 `restricted` if your access is restricted to projects.
#[utoipa::path(
    patch, path = "/api/v1/admin/tester_devices/{id}", tag = "admin", operation_id = "change_tester_device",
    security(("session" = [])),
    params(
        ("id" = i64, Path, description = "Identifier of the tester device"),
        ("If-Match" = Option<String>, Header, description = "ETag of the version you have read; the answer is 412 if it has changed since"),
    ),
    request_body = ChangedTesterDevice,
    extensions(("x-permission" = json!("manage_devices"))),
    responses(
        (status = 200, description = "The changed tester device", body = TesterDevice,
            headers(("ETag" = String, description = "Version of the resource"))),
        problem::BadBody, problem::Unauthenticated, problem::Forbidden, problem::NotFound, problem::PreconditionFailed,
    ),
)]
pub async fn change_tester_device(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ManageDevices>,
    PathId(id): PathId,
    IfMatchHeader(if_match): IfMatchHeader,
    _: NoParams,
    body: DeferredBody,
) -> Result {
    app.find_tester_device(&caller, DeviceId(id)).await?;
    let ChangeFields(change) = body.read().await?;
    let device = app.change_tester_device(&caller, DeviceId(id), &if_match, change).await?;
    let version = device.version;
    Ok(web::with_etag(web::json_response(&shape(device)), version, None))
}
