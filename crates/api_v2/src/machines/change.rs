//! PATCH /api/v2/machines/{id}

use std::sync::Arc;

use app::{App, MachineChange};
use axum::extract::State;
use domain::access::{ReadRegistry, WriteRegistry};
use domain::{Change, MachineId, MachineKind, Name, Timestamp, WorksiteId, Year};
use web::{
    Caller, DeferredBody, FixedMembers, FromFields, IfMatchHeader, NoParams, PathId, Result, enum_schemas,
    json_api_errors,
};

use super::{DEFINITION, Machine, object, year};
use crate::json_api::{
    self, ChangeOf, DocumentOf, Negotiated, Payload, StoredResource, Target, with_pointers,
};

/// Attributes of a machine to change. Attributes that are left out stay as they are.
#[web::body]
#[schema(as = ChangedMachineAttributes)]
pub struct ChangedMachine {
    /// Name of the machine.
    #[schema(example = "Excavator 4", min_length = 1, max_length = 100)]
    name: Change<Name>,
    /// Kind of machine.
    #[schema(value_type = enum_schemas::MachineKind, example = "excavator", required = false)]
    kind: Change<MachineKind>,
    /// Manufacturer's serial number; null removes it.
    #[schema(example = "CAT0320EJ4711", min_length = 1, max_length = 100)]
    serial_number: Change<Option<Name>>,
    /// Manufacturer; null removes it.
    #[schema(example = "Caterpillar", min_length = 1, max_length = 100)]
    manufacturer: Change<Option<Name>>,
    /// Manufacturer's model designation; null removes it.
    #[schema(example = "320", min_length = 1, max_length = 100)]
    model: Change<Option<Name>>,
    /// Year of manufacture, from 1900 to next year; null removes it.
    #[schema(value_type = Option<i64>, example = 2019, minimum = 1900)]
    #[field(with = year)]
    year: Change<Option<Year>>,
    /// Number plate; null removes it.
    #[schema(example = "B-KC 320", min_length = 1, max_length = 100)]
    number_plate: Change<Option<Name>>,
    /// `true` archives the machine, which leaves its worksite and loses its base station; `false` restores it.
    #[schema(example = false)]
    archived: Change<bool>,
    /// Identifier of the worksite, from the relationship `worksite`.
    #[schema(ignore)]
    worksite_id: Change<Option<WorksiteId>>,
    /// Time from which the given worksite applies, RFC 3339; now if left out. It must not be in the future, and at most five years in the
    /// past. Assignments after this time are replaced.
    #[schema(example = "2026-03-01T08:00:00Z")]
    effective_from: Option<Timestamp>,
}

impl ChangedMachine {
    /// Separates the change from whether the machine is archived.
    fn into_change(self) -> (MachineChange, Change<bool>) {
        let change = MachineChange {
            name: self.name,
            kind: self.kind,
            serial_number: self.serial_number,
            manufacturer: self.manufacturer,
            model: self.model,
            year: self.year,
            number_plate: self.number_plate,
            worksite: self.worksite_id,
            effective_from: self.effective_from,
        };
        (change, self.archived)
    }
}

type ChangedMachineDocument = ChangeOf<Machine>;
type MachineDocument = DocumentOf<Machine>;

/// Change, archive or restore a machine
///
/// Set `archived` to archive or restore the machine, and the relationship `worksite` to assign it to another worksite.
/// Answers 403 `restricted` if your access is restricted to projects and the change would affect data outside of them or leave the machine
/// without a worksite.
#[web::operation(
    patch, path = "/api/v2/machines/{id}", tag = "machines", operation_id = "change_machine",
    params(
        ("id" = String, Path, description = "Id of the machine."),
        ("If-Match" = Option<String>, Header, description = "ETag of the version you read; 412 if the machine has changed since."),
    ),
    request_body(content = ChangedMachineDocument, content_type = "application/vnd.api+json"),
    responses(
        (status = 200, description = "The machine was changed.", body = MachineDocument, content_type = "application/vnd.api+json",
            headers(("ETag" = String, description = "Version of the machine."))),
        json_api_errors::BadBody, json_api_errors::NotFound, json_api_errors::Conflict,
        json_api_errors::PreconditionFailed, json_api_errors::NegotiationFailed,
    ),
)]
pub async fn change_machine(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<WriteRegistry>,
    _: Negotiated,
    PathId(id): PathId,
    IfMatchHeader(if_match): IfMatchHeader,
    _: NoParams,
    body: DeferredBody,
) -> Result {
    let found = app.find_machine(&caller.with_permission::<ReadRegistry>()?, MachineId(id)).await?;
    let payload = body.read::<Payload>().await?;
    let stored = StoredResource::new(id, FixedMembers::created_at(found.created_at));
    let changed = with_pointers(&DEFINITION, async {
        let sent = payload.resource(&DEFINITION, &Target::Existing(stored), ChangedMachine::read)?;
        let (change, archived) = sent.into_change();
        app.update_machine(&caller, MachineId(id), &if_match, change, archived).await
    });
    let machine = changed.await?;
    let version = machine.version;
    Ok(web::with_etag(json_api::updated_response(&object(machine)), version, None))
}
