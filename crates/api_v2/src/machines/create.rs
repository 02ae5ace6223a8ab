//! POST /api/v2/machines

use std::sync::Arc;

use app::{App, Idempotent, MachineCreation};
use axum::extract::State;
use domain::access::WriteRegistry;
use domain::{MachineKind, Name, Timestamp, WorksiteId, Year};
use web::{Caller, FromFields, IdempotentBody, NoParams, Result, enum_schemas, json_api_errors};

use super::{DEFINITION, Machine, object, year};
use crate::json_api::{self, DocumentOf, Negotiated, NewOf, Payload, Target, with_pointers};

/// Attributes of a new machine.
#[web::body(into = MachineCreation)]
#[schema(as = NewMachineAttributes)]
pub struct NewMachine {
    /// Name of the machine.
    #[schema(example = "Excavator 4", min_length = 1, max_length = 100)]
    name: Name,
    /// Kind of machine.
    #[schema(value_type = enum_schemas::MachineKind, example = "excavator")]
    kind: MachineKind,
    /// Manufacturer's serial number. It is unique in the brand, ignoring case.
    #[schema(example = "CAT0320EJ4711", min_length = 1, max_length = 100)]
    serial_number: Option<Name>,
    /// Manufacturer.
    #[schema(example = "Caterpillar", min_length = 1, max_length = 100)]
    manufacturer: Option<Name>,
    /// Manufacturer's model designation.
    #[schema(example = "320", min_length = 1, max_length = 100)]
    model: Option<Name>,
    /// Year of manufacture, from 1900 to next year.
    #[schema(value_type = Option<i64>, example = 2019, minimum = 1900)]
    #[field(with = year)]
    year: Option<Year>,
    /// Number plate.
    #[schema(example = "B-KC 320", min_length = 1, max_length = 100)]
    number_plate: Option<Name>,
    /// Identifier of the worksite, from the relationship `worksite`.
    #[schema(ignore)]
    #[field(into = worksite)]
    worksite_id: Option<WorksiteId>,
    /// Time from which the machine is at its worksite, RFC 3339; now if left out. It must not be in the future, and at most five years in
    /// the past.
    #[schema(example = "2026-03-01T08:00:00Z")]
    effective_from: Option<Timestamp>,
}

type NewMachineDocument = NewOf<Machine>;
type MachineDocument = DocumentOf<Machine>;

/// Add a machine
///
/// If your access is restricted to projects, the machine must be at a worksite of one of them. Answers 403 `restricted` if your access is
/// restricted to projects and the change would affect data outside of them.
#[web::operation(
    post, path = "/api/v2/machines", tag = "machines", operation_id = "create_machine",
    request_body(content = NewMachineDocument, content_type = "application/vnd.api+json"),
    responses(
        (status = 201, description = "The machine was added.", body = MachineDocument, content_type = "application/vnd.api+json"),
        json_api_errors::BadBody, json_api_errors::NotFound, json_api_errors::Conflict,
        json_api_errors::NegotiationFailed,
    ),
)]
pub async fn create_machine(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<WriteRegistry>,
    _: Negotiated,
    _: NoParams,
    IdempotentBody { value, key }: IdempotentBody<Payload>,
) -> Result {
    let once = Idempotent::new(key, |machine: &domain::Machine| {
        json_api::created_to_store(&object(machine.clone())).with_version(machine.version)
    });
    let made = with_pointers(&DEFINITION, async {
        let new = value.resource(&DEFINITION, &Target::New, NewMachine::read)?;
        app.create_machine(&caller, new.into(), once).await
    });
    Ok(json_api::render_stored(made.await?))
}
