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

/// What to change; what is left out stays.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body for OpenAPI; it is read field by field")]
pub struct ChangedMachine {
    /// What it is called.
    #[schema(example = "Excavator 4", min_length = 1, max_length = 100, nullable = false)]
    name: Option<String>,
    /// What sort of machine it is.
    #[schema(value_type = enum_schemas::MachineKind, example = "excavator", nullable = false, required = false)]
    kind: Option<String>,
    /// What its maker calls it; null takes it away.
    #[schema(example = "CAT0320EJ4711", min_length = 1, max_length = 100)]
    serial_number: Option<String>,
    /// Who made it; null takes it away.
    #[schema(example = "Caterpillar", min_length = 1, max_length = 100)]
    manufacturer: Option<String>,
    /// Which of their models it is; null takes it away.
    #[schema(example = "320", min_length = 1, max_length = 100)]
    model: Option<String>,
    /// When it was built: 1900 to the next year; null takes it away.
    #[schema(example = 2019, minimum = 1900)]
    year: Option<i64>,
    /// What stands on its plate; null takes it away.
    #[schema(example = "B-KC 320", min_length = 1, max_length = 100)]
    number_plate: Option<String>,
    /// The site it is at; null ends its time there.
    #[schema(example = 1)]
    worksite_id: Option<i64>,
    /// Since when `worksite_id` is so; left out, from now on. Not in the future, at most five years ago. What was said of
    /// the time after it is replaced.
    #[schema(value_type = Option<String>, format = DateTime, example = "2026-03-01T08:00:00Z")]
    effective_from: Option<Timestamp>,
}

/// A change that was read.
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

/// Changes a machine, and where it is.
///
/// 403 `restricted` if you are restricted to projects and it would change what happened outside of them.
#[utoipa::path(
    patch, path = "/api/v1/machines/{id}", tag = "machines", operation_id = "change_machine",
    security(("session" = [])),
    params(
        ("id" = i64, Path, description = "The machine's id"),
        ("If-Match" = Option<String>, Header, description = "The ETag you read; 412 if it was changed since"),
    ),
    request_body = ChangedMachine,
    extensions(("x-permission" = json!("write_registry"))),
    responses(
        (status = 200, description = "Changed", body = Machine, headers(("ETag" = String, description = "Its version"))),
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
