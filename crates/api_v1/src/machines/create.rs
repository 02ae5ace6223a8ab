//! POST /api/v1/machines

use std::sync::Arc;

use app::{App, Idempotent, MachineCreation};
use axum::extract::State;
use domain::access::WriteRegistry;
use domain::{MachineKind, Name, Timestamp, WorksiteId, Year};
use web::{Caller, IdempotentBody, NoParams, Result, enum_schemas, problem, year};

use super::{Machine, shape};

/// Fields of a new machine.
#[web::body(into = MachineCreation)]
pub struct NewMachine {
    /// Name of the machine.
    #[schema(example = "Excavator 4", min_length = 1, max_length = 100)]
    name: Name,
    /// Kind of machine.
    #[schema(value_type = enum_schemas::MachineKind, example = "excavator")]
    kind: MachineKind,
    /// Serial number given by the manufacturer. It is unique in the brand, ignoring case.
    #[schema(example = "CAT0320EJ4711", min_length = 1, max_length = 100)]
    serial_number: Option<Name>,
    /// Name of the manufacturer.
    #[schema(example = "Caterpillar", min_length = 1, max_length = 100)]
    manufacturer: Option<Name>,
    /// Model name.
    #[schema(example = "320", min_length = 1, max_length = 100)]
    model: Option<Name>,
    /// Year of manufacture, from 1900 to next year.
    #[schema(value_type = Option<i64>, example = 2019, minimum = 1900)]
    #[field(with = year)]
    year: Option<Year>,
    /// Number plate.
    #[schema(example = "B-KC 320", min_length = 1, max_length = 100)]
    number_plate: Option<Name>,
    /// Identifier of the worksite that the machine is assigned to. Required if your access is restricted to projects.
    #[schema(example = 1)]
    #[field(into = worksite)]
    worksite_id: Option<WorksiteId>,
    /// Time from which the machine is assigned to that worksite, RFC 3339 in UTC; the default is now. It must not be in the future and at
    /// most five years ago.
    #[schema(example = "2026-03-01T08:00:00Z")]
    effective_from: Option<Timestamp>,
}

/// Add a machine
///
/// Fails with 403 `restricted` if your access is restricted to projects and the change would affect records outside them.
#[web::operation(
    post, path = "/api/v1/machines", tag = "machines", operation_id = "create_machine",
    request_body = NewMachine,
    responses(
        (status = 201, description = "The new machine", body = Machine),
        problem::BadBody,
    ),
)]
pub async fn create_machine(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<WriteRegistry>,
    _: NoParams,
    IdempotentBody { value: new, key }: IdempotentBody<NewMachine>,
) -> Result {
    let once = Idempotent::new(key, |machine: &domain::Machine| {
        web::created_to_store(format!("/api/v1/machines/{}", machine.id), &shape(machine.clone()))
            .with_version(machine.version)
    });
    Ok(web::render_stored(app.create_machine(&caller, new.into(), once).await?))
}
