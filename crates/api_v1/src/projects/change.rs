//! PATCH /api/v1/projects/{id}

use std::sync::Arc;

use app::{App, ProjectChange};
use axum::extract::State;
use domain::access::WriteRegistry;
use domain::{Change, Name, ProjectId};
use web::{Caller, DeferredBody, FixedMembers, IfMatchHeader, NoParams, PathId, Result, problem};

use super::{Project, shape};

/// Changes to a project. Fields that are left out keep their values.
#[web::body(into = ProjectChange, of = Project)]
pub struct ChangedProject {
    /// Name of the project.
    #[schema(example = "North bridge", min_length = 1, max_length = 100)]
    name: Change<Name>,
    /// Code of the project in the brand's own systems; null removes it.
    #[schema(example = "NB-2026", min_length = 1, max_length = 100)]
    code: Change<Option<Name>>,
    /// `true` archives the project, `false` restores it.
    #[schema(example = false)]
    archived: Change<bool>,
}

/// Change, archive or restore a project
///
/// Set `archived` to archive or restore the project. Its worksites stay as they are.
#[web::operation(
    patch, path = "/api/v1/projects/{id}", tag = "projects", operation_id = "change_project",
    params(
        ("id" = i64, Path, description = "Identifier of the project"),
        ("If-Match" = Option<String>, Header, description = "ETag of the version you have read; the answer is 412 if it has changed since"),
    ),
    request_body = ChangedProject,
    responses(
        (status = 200, description = "The changed project", body = Project, headers(("ETag" = String, description = "Version of the resource"))),
        problem::BadBody, problem::NotFound, problem::PreconditionFailed,
    ),
)]
pub async fn change_project(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<WriteRegistry>,
    PathId(id): PathId,
    IfMatchHeader(if_match): IfMatchHeader,
    _: NoParams,
    body: DeferredBody,
) -> Result {
    let created_at = app.check_project(&caller, ProjectId(id)).await?;
    let change = body.read_change::<ChangedProject>(&FixedMembers::new(id, created_at)).await?;
    let project = app.change_project(&caller, ProjectId(id), &if_match, change.into()).await?;
    let version = project.version;
    Ok(web::with_etag(web::json_response(&shape(project)), version, None))
}
