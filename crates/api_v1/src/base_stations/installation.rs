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

/// Where a base station goes.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body for OpenAPI; it is read field by field")]
pub struct NewInstallation {
    /// The machine it is fitted on; null takes it off.
    #[schema(example = 1, required = true)]
    machine_id: Option<i64>,
    /// Since when; now, unless it is given. Not in the future, and at most five years ago.
    #[schema(value_type = Option<String>, format = DateTime, example = "2026-03-01T08:00:00Z")]
    effective_from: Option<String>,
    /// Whether installations of the station or the machine that began later are taken away; otherwise they are in the way.
    #[schema(example = true, default = false)]
    replace: Option<bool>,
}

/// A move that was read.
pub struct MoveFields(InstallationChange);

impl FromFields for MoveFields {
    fn read(fields: &mut Fields) -> Option<Self> {
        let machine = match fields.change_optional("machine_id", id) {
            Some(Change::Keep) => {
                fields.add_fault("machine_id", Invalid::new("required", "must be given; null takes it off"))
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

/// Moves a base station to another machine, or takes it off, from a moment on. What was so at that moment, of the station and
/// of the machine, ends there. Doing it twice is fine.
///
/// 403 `restricted` if you are restricted to projects and it would change what happened outside of them.
#[utoipa::path(
    put, path = "/api/v1/base_stations/{id}/installation", tag = "base stations",
    operation_id = "install_base_station", security(("session" = [])),
    params(
        ("id" = i64, Path, description = "The base station's id"),
        ("If-Match" = Option<String>, Header, description = "The ETag you read; 412 if it was changed since"),
    ),
    request_body = NewInstallation,
    extensions(("x-permission" = json!("write_registry"))),
    responses(
        (status = 200, description = "Where it is now", body = BaseStation,
            headers(("ETag" = String, description = "Its version"))),
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
