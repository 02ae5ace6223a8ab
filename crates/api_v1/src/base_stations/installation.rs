//! PUT /api/v1/base_stations/{id}/installation

use std::sync::Arc;

use app::{App, InstallationChange, LaterInstallations};
use axum::extract::State;
use domain::access::WriteRegistry;
use domain::{BaseStationId, Change, Invalid, MachineId, Timestamp};
use web::{BodyField, Caller, DeferredBody, Fields, IfMatchHeader, NoParams, PathId, Result, problem};

use super::{BaseStation, shape};

/// The machine on which a base station is installed.
#[web::body]
pub struct NewInstallation {
    /// Identifier of the machine that the base station is installed on; null uninstalls it.
    #[schema(value_type = Option<i64>, example = 1, required = true)]
    #[field(read = machine_or_null)]
    machine_id: Option<MachineId>,
    /// Time from which the installation applies, RFC 3339 in UTC; the default is now. It must not be in the future and at most five years
    /// ago.
    #[schema(example = "2026-03-01T08:00:00Z")]
    effective_from: Option<Timestamp>,
    /// Whether later installations of the base station or of the machine are removed. Otherwise the call is refused if there are any.
    #[schema(example = true, default = false)]
    replace: Option<bool>,
}

/// Reads the machine, which must be given but may be null.
fn machine_or_null(fields: &mut Fields, name: &str) -> Option<Option<MachineId>> {
    match fields.change_optional(name, MachineId::from_json)? {
        Change::Set(machine) => Some(machine),
        Change::Keep => fields.add_fault(name, Invalid::new("required", "must be given; null uninstalls it")),
    }
}

impl From<NewInstallation> for InstallationChange {
    fn from(body: NewInstallation) -> Self {
        Self {
            machine: body.machine_id,
            effective_from: body.effective_from,
            later_installations: match body.replace {
                Some(true) => LaterInstallations::Replace,
                Some(false) | None => LaterInstallations::Refuse,
            },
        }
    }
}

/// Move a base station
///
/// Installs the base station on another machine, or uninstalls it, from the given time on. The installations of the base station and of
/// the machine at that time end then. The operation is idempotent.
///
/// Fails with 403 `restricted` if your access is restricted to projects and the change would affect records outside them.
#[web::operation(
    put, path = "/api/v1/base_stations/{id}/installation", tag = "base stations",
    operation_id = "install_base_station",
    params(
        ("id" = i64, Path, description = "Identifier of the base station"),
        ("If-Match" = Option<String>, Header, description = "ETag of the version you have read; the answer is 412 if it has changed since"),
    ),
    request_body = NewInstallation,
    responses(
        (status = 200, description = "The base station with its new installation", body = BaseStation,
            headers(("ETag" = String, description = "Version of the resource"))),
        problem::BadBody, problem::NotFound, problem::PreconditionFailed,
    ),
)]
pub async fn install_base_station(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<WriteRegistry>,
    PathId(id): PathId,
    IfMatchHeader(if_match): IfMatchHeader,
    _: NoParams,
    body: DeferredBody,
) -> Result {
    app.check_base_station(&caller, BaseStationId(id)).await?;
    let to: InstallationChange = body.read::<NewInstallation>().await?.into();
    let moved = app.install_base_station(&caller, BaseStationId(id), &if_match, &to).await?;
    let version = moved.station.version;
    Ok(web::with_etag(web::json_response(&shape(moved)), version, None))
}
