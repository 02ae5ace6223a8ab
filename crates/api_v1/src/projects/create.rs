//! POST /api/v1/projects

use std::sync::Arc;

use app::{App, Idempotent};
use axum::extract::State;
use domain::Name;
use domain::access::WriteRegistry;
use utoipa::ToSchema;
use web::{
    Caller, Fields, FromFields, IdempotencyKeyHeader, IdempotentBody, NoParams, Result, problem, text,
};

use super::{Project, shape};

/// Fields of a new project.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body for OpenAPI; it is read field by field")]
pub struct NewProject {
    /// Name of the project.
    #[schema(example = "North bridge", min_length = 1, max_length = 100)]
    name: String,
    /// Code of the project in the brand's own systems.
    #[schema(example = "NB-2026", min_length = 1, max_length = 100)]
    code: Option<String>,
}

pub struct NewProjectFields(store::NewProject);

impl FromFields for NewProjectFields {
    fn read(fields: &mut Fields) -> Option<Self> {
        let name = fields.required("name", text(Name::parse));
        let code = fields.optional("code", text(Name::parse));
        Some(Self(store::NewProject { name: name?, code: code?, archived_at: None }))
    }
}

/// Add a project
///
/// Fails with 403 `restricted` if your access is restricted to projects.
#[utoipa::path(
    post, path = "/api/v1/projects", tag = "projects", operation_id = "create_project", security(("session" = [])),
    params(IdempotencyKeyHeader),
    request_body = NewProject,
    extensions(("x-permission" = json!("write_registry"))),
    responses(
        (status = 201, description = "The new project", body = Project),
        problem::BadBody, problem::Unauthenticated, problem::Forbidden,
    ),
)]
pub async fn create_project(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<WriteRegistry>,
    _: NoParams,
    IdempotentBody { value: NewProjectFields(new), key }: IdempotentBody<NewProjectFields>,
) -> Result {
    let once = Idempotent::new(key, |project: &store::Project| {
        web::created_to_store(format!("/api/v1/projects/{}", project.id), &shape(project.clone()))
    });
    Ok(web::render_stored(app.create_project(&caller, &new, once).await?))
}
