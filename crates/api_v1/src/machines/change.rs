//! PATCH /api/v1/machines/{id}

use std::sync::Arc;

use app::{App, MachineChange};
use axum::extract::State;
use domain::access::WriteRegistry;
use domain::{Change, MachineId, MachineKind, Name, Timestamp, WorksiteId, Year};
use web::{
    Caller, DeferredBody, FixedMembers, IfMatchHeader, NoParams, PathId, Result, enum_schemas, problem, year,
};

use super::{Machine, shape};

/// Changes to a machine. Fields that are left out keep their values.
#[web::body(into = MachineChange, of = Machine)]
pub struct ChangedMachine {
    /// Name of the machine.
    #[schema(example = "Excavator 4", min_length = 1, max_length = 100)]
    name: Change<Name>,
    /// Kind of machine.
    #[schema(value_type = enum_schemas::MachineKind, example = "excavator", nullable = false, required = false)]
    kind: Change<MachineKind>,
    /// Serial number given by the manufacturer; null removes it.
    #[schema(example = "CAT0320EJ4711", min_length = 1, max_length = 100)]
    serial_number: Change<Option<Name>>,
    /// Name of the manufacturer; null removes it.
    #[schema(example = "Caterpillar", min_length = 1, max_length = 100)]
    manufacturer: Change<Option<Name>>,
    /// Model name; null removes it.
    #[schema(example = "320", min_length = 1, max_length = 100)]
    model: Change<Option<Name>>,
    /// Year of manufacture, from 1900 to next year; null removes it.
    #[schema(value_type = Option<i64>, example = 2019, minimum = 1900)]
    #[field(with = year)]
    year: Change<Option<Year>>,
    /// Number plate; null removes it.
    #[schema(example = "B-KC 320", min_length = 1, max_length = 100)]
    number_plate: Change<Option<Name>>,
    /// Identifier of the worksite that the machine is assigned to; null ends its assignment.
    #[schema(example = 1)]
    #[field(into = worksite)]
    worksite_id: Change<Option<WorksiteId>>,
    /// Time from which `worksite_id` applies, RFC 3339 in UTC; the default is now. It must not be in the future and at most five years
    /// ago. Assignments after this time are replaced.
    #[schema(example = "2026-03-01T08:00:00Z")]
    effective_from: Option<Timestamp>,
}

/// Change a machine
///
/// The change may also assign the machine to another worksite.
///
/// Fails with 403 `restricted` if your access is restricted to projects and the change would affect records outside them or leave the
/// machine without a worksite.
#[web::operation(
    patch, path = "/api/v1/machines/{id}", tag = "machines", operation_id = "change_machine",
    params(
        ("id" = i64, Path, description = "Identifier of the machine"),
        ("If-Match" = Option<String>, Header, description = "ETag of the version you have read; the answer is 412 if it has changed since"),
    ),
    request_body = ChangedMachine,
    responses(
        (status = 200, description = "The changed machine", body = Machine, headers(("ETag" = String, description = "Version of the resource"))),
        problem::BadBody, problem::NotFound, problem::Conflict,
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
    let created_at = app.check_machine(&caller, MachineId(id)).await?;
    let change = body.read_change::<ChangedMachine>(&FixedMembers::new(id, created_at)).await?;
    let machine = app.change_machine(&caller, MachineId(id), &if_match, change.into()).await?;
    let version = machine.version;
    Ok(web::with_etag(web::json_response(&shape(machine)), version, None))
}
