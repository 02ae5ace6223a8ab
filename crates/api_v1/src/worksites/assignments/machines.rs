//! PUT and DELETE /api/v1/worksites/{id}/assignments/machines/{machine_id}

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::access::WriteRegistry;
use domain::{MachineId, Timestamp, WorksiteId};
use utoipa::ToSchema;
use web::{Caller, DeferredBody, Fields, FromFields, NoParams, PathIds, Result, problem, text};

use super::{WorksiteAssignment, shape};

/// From when on; there need be no body at all.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body for OpenAPI; it is read field by field")]
pub struct AssignMachineBody {
    /// Since when it is there; left out, from now on. Not in the future, at most five years ago. What was said of the time
    /// after it is replaced.
    #[schema(value_type = Option<String>, format = DateTime, example = "2026-03-01T08:00:00Z")]
    effective_from: Option<Timestamp>,
}

/// The moment that was read.
#[derive(Default)]
pub struct EffectiveFrom(Option<Timestamp>);

impl FromFields for EffectiveFrom {
    fn read(fields: &mut Fields) -> Option<Self> {
        fields.optional("effective_from", text(Timestamp::parse)).map(Self)
    }
}

/// Assigns a machine to a worksite: its time elsewhere ends. If it is there already, nothing changes.
///
/// 403 `restricted` if you are restricted to projects and it would change what happened outside of them.
#[utoipa::path(
    put, path = "/api/v1/worksites/{id}/assignments/machines/{machine_id}", tag = "worksites",
    operation_id = "assign_machine", security(("session" = [])),
    params(
        ("id" = i64, Path, description = "The worksite's id"),
        ("machine_id" = i64, Path, description = "The machine's id"),
    ),
    request_body(content = AssignMachineBody, description = "May be left out"),
    extensions(("x-permission" = json!("write_registry"))),
    responses(
        (status = 200, description = "It is there", body = WorksiteAssignment),
        problem::BadBody, problem::Unauthenticated, problem::Forbidden, problem::NotFound, problem::Conflict,
    ),
)]
pub async fn assign_machine(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<WriteRegistry>,
    PathIds(id, machine_id): PathIds,
    _: NoParams,
    body: DeferredBody,
) -> Result {
    let (machine, worksite) = (MachineId(machine_id), WorksiteId(id));
    app.check_machine_and_worksite(&caller, machine, worksite).await?;
    let EffectiveFrom(from) = body.read_or_default().await?;
    Ok(web::json_response(&shape(app.assign_machine(&caller, machine, worksite, from).await?)))
}

/// Ends a machine's time at a worksite now; its history stays. Ending it twice is fine.
///
/// 403 `restricted` if you are restricted to projects and it would change what happened outside of them.
#[utoipa::path(
    delete, path = "/api/v1/worksites/{id}/assignments/machines/{machine_id}", tag = "worksites",
    operation_id = "end_machine_assignment", security(("session" = [])),
    params(
        ("id" = i64, Path, description = "The worksite's id"),
        ("machine_id" = i64, Path, description = "The machine's id"),
    ),
    extensions(("x-permission" = json!("write_registry"))),
    responses(
        (status = 200, description = "What was ended", body = WorksiteAssignment),
        problem::Unauthenticated, problem::Forbidden, problem::NotFound,
    ),
)]
pub async fn end_machine_assignment(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<WriteRegistry>,
    PathIds(id, machine_id): PathIds,
    _: NoParams,
) -> Result {
    let (machine, worksite) = (MachineId(machine_id), WorksiteId(id));
    Ok(web::json_response(&shape(app.end_machine_assignment(&caller, machine, worksite).await?)))
}
