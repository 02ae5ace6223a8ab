//! PUT and DELETE /api/v1/worksites/{id}/assignments/machines/{machine_id}

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::access::WriteRegistry;
use domain::{MachineId, Timestamp, WorksiteId};
use web::{Caller, DeferredBody, NoParams, PathIds, Result, problem};

use super::{WorksiteAssignment, shape};

/// The start of an assignment. The body may be left out.
#[web::body]
#[derive(Default)]
pub struct AssignMachineBody {
    /// Time from which the machine is assigned to the worksite, RFC 3339 in UTC; the default is now. It must not be in the future and at
    /// most five years ago. Assignments after this time are replaced.
    #[schema(example = "2026-03-01T08:00:00Z")]
    effective_from: Option<Timestamp>,
}

/// Assign a machine to a worksite
///
/// The assignment of the machine to another worksite ends. If the machine is already there, nothing changes.
///
/// Fails with 403 `restricted` if your access is restricted to projects and the change would affect records outside them.
#[web::operation(
    put, path = "/api/v1/worksites/{id}/assignments/machines/{machine_id}", tag = "worksites",
    operation_id = "assign_machine",
    params(
        ("id" = i64, Path, description = "Identifier of the worksite"),
        ("machine_id" = i64, Path, description = "Identifier of the machine"),
    ),
    request_body(content = AssignMachineBody, description = "The body may be left out"),
    responses(
        (status = 200, description = "The assignment", body = WorksiteAssignment),
        problem::BadBody, problem::NotFound, problem::Conflict,
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
    let AssignMachineBody { effective_from } = body.read_or_default().await?;
    Ok(web::json_response(&shape(app.assign_machine(&caller, machine, worksite, effective_from).await?)))
}

/// End a machine's assignment to a worksite
///
/// The assignment ends now and stays in the history. The operation is idempotent.
///
/// Fails with 403 `restricted` if your access is restricted to projects: you would no longer see the machine.
#[web::operation(
    delete, path = "/api/v1/worksites/{id}/assignments/machines/{machine_id}", tag = "worksites",
    operation_id = "end_machine_assignment",
    params(
        ("id" = i64, Path, description = "Identifier of the worksite"),
        ("machine_id" = i64, Path, description = "Identifier of the machine"),
    ),
    responses(
        (status = 200, description = "The ended assignment", body = WorksiteAssignment),
        problem::NotFound,
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
