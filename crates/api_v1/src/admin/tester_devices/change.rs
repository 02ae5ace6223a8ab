//! PATCH /api/v1/admin/tester_devices/{id}

use std::sync::Arc;

use app::{App, TesterDeviceChange};
use axum::extract::State;
use domain::access::ManageDevices;
use domain::{Change, DeviceId, Name, Serial, WorksiteId};
use web::{Caller, DeferredBody, FixedMembers, IfMatchHeader, NoParams, PathId, Result, problem};

use super::{TesterDevice, shape};

/// Changes to a tester device. Fields that are left out keep their values.
#[web::body(into = TesterDeviceChange, of = TesterDevice)]
pub struct ChangedTesterDevice {
    /// Name of the tester device. It is unique in the brand.
    #[schema(example = "Gate 1", min_length = 1, max_length = 100)]
    name: Change<Name>,
    /// Serial number printed on the tester device; null removes it.
    #[schema(example = "KT-0007", min_length = 1, max_length = 64)]
    serial: Change<Option<Serial>>,
    /// Identifier of the worksite where the device stands; null if it stands at none.
    #[schema(example = 1)]
    #[field(into = worksite)]
    worksite_id: Change<Option<WorksiteId>>,
}

/// Change a tester device
///
/// Fails with 403 `restricted` if your access is restricted to projects.
#[web::operation(
    patch, path = "/api/v1/admin/tester_devices/{id}", tag = "admin", operation_id = "change_tester_device",
    params(
        ("id" = i64, Path, description = "Identifier of the tester device"),
        ("If-Match" = Option<String>, Header, description = "ETag of the version you have read; the answer is 412 if it has changed since"),
    ),
    request_body = ChangedTesterDevice,
    responses(
        (status = 200, description = "The changed tester device", body = TesterDevice,
            headers(("ETag" = String, description = "Version of the resource"))),
        problem::BadBody, problem::NotFound, problem::PreconditionFailed,
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
    let stored = app.find_tester_device(&caller, DeviceId(id)).await?;
    let change = body.read_change::<ChangedTesterDevice>(&FixedMembers::new(id, stored.created_at)).await?;
    let device = app.change_tester_device(&caller, DeviceId(id), &if_match, change.into()).await?;
    let version = device.version;
    Ok(web::with_etag(web::json_response(&shape(device)), version, None))
}
