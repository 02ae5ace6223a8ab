//! POST /api/v1/projects

use std::sync::Arc;

use app::{App, Idempotent};
use axum::extract::State;
use domain::Name;
use domain::access::WriteRegistry;
use web::{Caller, IdempotentBody, NoParams, Result, problem};

use super::{Project, shape};

/// Fields of a new project.
#[web::body]
pub struct NewProject {
    /// Name of the project.
    #[schema(example = "North bridge", min_length = 1, max_length = 100)]
    name: Name,
    /// Code of the project in the brand's own systems.
    #[schema(example = "NB-2026", min_length = 1, max_length = 100)]
    code: Option<Name>,
}

/// Add a project
///
/// Fails with 403 `restricted` if your access is restricted to projects.
#[web::operation(
    post, path = "/api/v1/projects", tag = "projects", operation_id = "create_project",
    request_body = NewProject,
    responses(
        (status = 201, description = "The new project", body = Project),
        problem::BadBody,
    ),
)]
pub async fn create_project(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<WriteRegistry>,
    _: NoParams,
    IdempotentBody { value: NewProject { name, code }, key }: IdempotentBody<NewProject>,
) -> Result {
    let new = domain::NewProject { name, code, archived_at: None };
    let once = Idempotent::new(key, |project: &domain::Project| {
        web::created_to_store(format!("/api/v1/projects/{}", project.id), &shape(project.clone()))
            .with_version(project.version)
    });
    Ok(web::render_stored(app.create_project(&caller, &new, once).await?))
}
