//! POST /api/v1/machines

use std::sync::Arc;

use app::{App, Idempotent, InitialAssignment};
use axum::extract::State;
use domain::access::WriteRegistry;
use domain::{MachineKind, Name, Timestamp, WorksiteId};
use utoipa::ToSchema;
use web::{
    Caller, Fields, FromFields, IdempotencyKeyHeader, IdempotentBody, NoParams, Result, enum_schemas, id,
    problem, text,
};

use super::{Machine, shape, year};

/// Fields of a new machine.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body for OpenAPI; it is read field by field")]
pub struct NewMachine {
    /// Name of the machine.
    #[schema(example = "Excavator 4", min_length = 1, max_length = 100)]
    name: String,
    /// Kind of machine.
    #[schema(value_type = enum_schemas::MachineKind, example = "excavator")]
    kind: String,
    /// Serial number given by the manufacturer. It is unique in the brand, ignoring case.
    #[schema(example = "CAT0320EJ4711", min_length = 1, max_length = 100)]
    serial_number: Option<String>,
    /// Name of the manufacturer.
    #[schema(example = "Caterpillar", min_length = 1, max_length = 100)]
    manufacturer: Option<String>,
    /// Model name.
    #[schema(example = "320", min_length = 1, max_length = 100)]
    model: Option<String>,
    /// Year of manufacture, from 1900 to next year.
    #[schema(example = 2019, minimum = 1900)]
    year: Option<i64>,
    /// Number plate.
    #[schema(example = "B-KC 320", min_length = 1, max_length = 100)]
    number_plate: Option<String>,
    /// Identifier of the worksite that the machine is assigned to. Required if your access is restricted to projects.
    #[schema(example = 1)]
    worksite_id: Option<i64>,
    /// Time from which the machine is assigned to that worksite, RFC 3339 in UTC; the default is now. It must not be in the future and at
    /// most five years ago.
    #[schema(value_type = Option<String>, format = DateTime, example = "2026-03-01T08:00:00Z")]
    effective_from: Option<Timestamp>,
}

pub struct NewMachineFields(pub store::NewMachine, pub InitialAssignment);

impl FromFields for NewMachineFields {
    fn read(fields: &mut Fields) -> Option<Self> {
        let name = fields.required("name", text(Name::parse));
        let kind = fields.required("kind", text(MachineKind::parse));
        let serial_number = fields.optional("serial_number", text(Name::parse));
        let manufacturer = fields.optional("manufacturer", text(Name::parse));
        let model = fields.optional("model", text(Name::parse));
        let year = fields.optional("year", year);
        let number_plate = fields.optional("number_plate", text(Name::parse));
        let worksite = fields.optional("worksite_id", id);
        let effective_from = fields.optional("effective_from", text(Timestamp::parse));
        let new = store::NewMachine {
            name: name?,
            kind: kind?,
            serial_number: serial_number?,
            manufacturer: manufacturer?,
            model: model?,
            year: year?,
            number_plate: number_plate?,
            archived_at: None,
        };
        let at = InitialAssignment { worksite: worksite?.map(WorksiteId), effective_from: effective_from? };
        Some(Self(new, at))
    }
}

/// Add a machine
///
/// Fails with 403 `restricted` if your access is restricted to projects and the change would affect records outside them.
#[utoipa::path(
    post, path = "/api/v1/machines", tag = "machines", operation_id = "create_machine", security(("session" = [])),
    params(IdempotencyKeyHeader),
    request_body = NewMachine,
    extensions(("x-permission" = json!("write_registry"))),
    responses(
        (status = 201, description = "The new machine", body = Machine),
        problem::BadBody, problem::Unauthenticated, problem::Forbidden,
    ),
)]
pub async fn create_machine(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<WriteRegistry>,
    _: NoParams,
    IdempotentBody { value: NewMachineFields(new, at), key }: IdempotentBody<NewMachineFields>,
) -> Result {
    let once = Idempotent::new(key, |machine: &store::Machine| {
        web::created_to_store(format!("/api/v1/machines/{}", machine.id), &shape(machine.clone()))
    });
    Ok(web::render_stored(app.create_machine(&caller, &new, at, once).await?))
}
