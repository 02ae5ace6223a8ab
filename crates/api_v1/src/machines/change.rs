//! PATCH /api/v1/machines/{id}

use std::sync::Arc;

use app::{App, MachineChange};
use axum::extract::State;
use domain::access::WriteRegistry;
use domain::{Change, MachineId, MachineKind, Name, Timestamp, WorksiteId};
use utoipa::ToSchema;
use web::{
    Caller, DeferredBody, Fields, FromFields, IfMatchHeader, NoParams, PathId, Result, enum_schemas, id,
    problem, text,
};

use super::{Machine, shape, year};

/// Changes to a machine. Fields that are left out keep their values.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body for OpenAPI; it is read field by field")]
pub struct ChangedMachine {
    /// Name of the machine.
    #[schema(example = "Excavator 4", min_length = 1, max_length = 100, nullable = false)]
    name: Option<String>,
    /// Kind of machine.
    #[schema(value_type = enum_schemas::MachineKind, example = "excavator", nullable = false, required = false)]
    kind: Option<String>,
    /// Serial number given by the manufacturer; null removes it.
    #[schema(example = "CAT0320EJ4711", min_length = 1, max_length = 100)]
    serial_number: Option<String>,
    /// Name of the manufacturer; null removes it.
    #[schema(example = "Caterpillar", min_length = 1, max_length = 100)]
    manufacturer: Option<String>,
    /// Model name; null removes it.
    #[schema(example = "320", min_length = 1, max_length = 100)]
    model: Option<String>,
    /// Year of manufacture, from 1900 to next year; null removes it.
    #[schema(example = 2019, minimum = 1900)]
    year: Option<i64>,
    /// Number plate; null removes it.
    #[schema(example = "B-KC 320", min_length = 1, max_length = 100)]
    number_plate: Option<String>,
    /// Identifier of the worksite that the machine is assigned to; null ends its assignment.
    #[schema(example = 1)]
    worksite_id: Option<i64>,
    /// Time from which `worksite_id` applies, RFC 3339 in UTC; the default is now. It must not be in the future and at most five years
    /// ago. Assignments after this time are replaced.
    #[schema(value_type = Option<String>, format = DateTime, example = "2026-03-01T08:00:00Z")]
    effective_from: Option<Timestamp>,
}

pub struct ChangeFields(MachineChange);

impl FromFields for ChangeFields {
    fn read(fields: &mut Fields) -> Option<Self> {
        let name = fields.change("name", text(Name::parse));
        let kind = fields.change("kind", text(MachineKind::parse));
        let serial_number = fields.change_optional("serial_number", text(Name::parse));
        let manufacturer = fields.change_optional("manufacturer", text(Name::parse));
        let model = fields.change_optional("model", text(Name::parse));
        let year = fields.change_optional("year", year);
        let number_plate = fields.change_optional("number_plate", text(Name::parse));
        let worksite = fields.change_optional("worksite_id", id);
        let effective_from = fields.optional("effective_from", text(Timestamp::parse));
        Some(Self(MachineChange {
            name: name?,
            kind: kind?,
            serial_number: serial_number?,
            manufacturer: manufacturer?,
            model: model?,
            year: year?,
            number_plate: number_plate?,
            worksite: match worksite? {
                Change::Keep => Change::Keep,
                Change::Set(id) => Change::Set(id.map(WorksiteId)),
            },
            effective_from: effective_from?,
        }))
    }
}

/// Change a machine
///
/// The change may also assign the machine to another worksite.
///
/// Fails with 403 `restricted` if your access is restricted to projects and the change would affect records outside them.
#[utoipa::path(
    patch, path = "/api/v1/machines/{id}", tag = "machines", operation_id = "change_machine",
    security(("session" = [])),
    params(
        ("id" = i64, Path, description = "Identifier of the machine"),
        ("If-Match" = Option<String>, Header, description = "ETag of the version you have read; the answer is 412 if it has changed since"),
    ),
    request_body = ChangedMachine,
    extensions(("x-permission" = json!("write_registry"))),
    responses(
        (status = 200, description = "The changed machine", body = Machine, headers(("ETag" = String, description = "Version of the resource"))),
        problem::BadBody, problem::Unauthenticated, problem::Forbidden, problem::NotFound, problem::Conflict,
        problem::PreconditionFailed,
    ),
)]
pub async fn change_machine(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<WriteRegistry>,
    PathId(id): PathId,
    IfMatchHeader(if_match): IfMatchHeader,
    _: NoParams,
    body: DeferredBody,
) -> Result {
    app.check_machine(&caller, MachineId(id)).await?;
    let ChangeFields(change) = body.read().await?;
    let machine = app.change_machine(&caller, MachineId(id), &if_match, change).await?;
    let version = machine.version;
    Ok(web::with_etag(web::json_response(&shape(machine)), version, None))
}
