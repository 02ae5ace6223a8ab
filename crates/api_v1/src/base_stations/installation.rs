//! PUT /api/v1/base_stations/{id}/installation

use std::sync::Arc;

use app::{App, InstallationChange, LaterInstallations};
use axum::extract::State;
use domain::access::WriteRegistry;
use domain::{BaseStationId, Change, Invalid, MachineId, Timestamp};
use utoipa::ToSchema;
use web::{
    Caller, DeferredBody, Fields, FromFields, IfMatchHeader, NoParams, PathId, Result, boolean, id, problem,
    text,
};

use super::{BaseStation, shape};

/// The machine on which a base station is installed.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body for OpenAPI; it is read field by field")]
pub struct NewInstallation {
    /// Identifier of the machine that the base station is installed on; null uninstalls it.
    #[schema(example = 1, required = true)]
    machine_id: Option<i64>,
    /// Time from which the installation applies, RFC 3339 in UTC; the default is now. It must not be in the future and at most five years
    /// ago.
    #[schema(value_type = Option<String>, format = DateTime, example = "2026-03-01T08:00:00Z")]
    effective_from: Option<String>,
    /// Whether later installations of the base station or of the machine are removed. Otherwise the call is refused if there are any.
    #[schema(example = true, default = false)]
    replace: Option<bool>,
}

pub struct MoveFields(InstallationChange);

impl FromFields for MoveFields {
    fn read(fields: &mut Fields) -> Option<Self> {
        let machine = match fields.change_optional("machine_id", id) {
            Some(Change::Keep) => {
                fields.add_fault("machine_id", Invalid::new("required", "must be given; null uninstalls it"))
            }
            Some(Change::Set(machine)) => Some(machine.map(MachineId)),
            None => None,
        };
        let effective_from = fields.optional("effective_from", text(Timestamp::parse));
        let replace = fields.optional("replace", boolean);
        let if_later =
            if replace?.unwrap_or(false) { LaterInstallations::Replace } else { LaterInstallations::Refuse };
        Some(Self(InstallationChange {
            machine: machine?,
            effective_from: effective_from?,
            later_installations: if_later,
        }))
    }
}

/// Move a base station
///
/// Installs the base station on another machine, or uninstalls it, from the given time on. The installations of the base station and of
/// the machine at that time end then. The operation is idempotent.
///
/// Fails with 403 `restricted` if your access is restricted to projects and the change would affect records outside them.
#[utoipa::path(
    put, path = "/api/v1/base_stations/{id}/installation", tag = "base stations",
    operation_id = "install_base_station", security(("session" = [])),
    params(
        ("id" = i64, Path, description = "Identifier of the base station"),
        ("If-Match" = Option<String>, Header, description = "ETag of the version you have read; the answer is 412 if it has changed since"),
    ),
    request_body = NewInstallation,
    extensions(("x-permission" = json!("write_registry"))),
    responses(
        (status = 200, description = "The base station with its new installation", body = BaseStation,
            headers(("ETag" = String, description = "Version of the resource"))),
        problem::BadBody, problem::Unauthenticated, problem::Forbidden, problem::NotFound, problem::PreconditionFailed,
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
    let MoveFields(to) = body.read().await?;
    let moved = app.install_base_station(&caller, BaseStationId(id), &if_match, &to).await?;
    let version = moved.station.version;
    Ok(web::with_etag(web::json_response(&shape(moved)), version, None))
}
