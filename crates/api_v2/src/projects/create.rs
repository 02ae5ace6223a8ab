//! POST /api/v2/projects

use std::sync::Arc;

use app::{App, Idempotent};
use axum::extract::State;
use domain::Name;
use domain::access::WriteRegistry;
use utoipa::ToSchema;
use web::{Caller, Fields, IdempotencyKeyHeader, IdempotentBody, NoParams, Result, json_api_errors, text};

use super::{DEFINITION, Project, object};
use crate::json_api::{self, DocumentOf, Negotiated, NewOf, Payload, Target, with_pointers};

/// Attributes of a new project.
#[derive(ToSchema)]
#[schema(as = NewProjectAttributes)]
#[expect(dead_code, reason = "describes the body for OpenAPI; it is read field by field")]
pub struct NewProject {
    /// Name of the project.
    #[schema(example = "North bridge", min_length = 1, max_length = 100)]
    name: String,
    /// Project code in the brand's own systems.
    #[schema(example = "NB-2026", min_length = 1, max_length = 100)]
    code: Option<String>,
}

type NewProjectDocument = NewOf<Project>;
type ProjectDocument = DocumentOf<Project>;

fn read(fields: &mut Fields) -> Option<store::NewProject> {
    let name = fields.required("name", text(Name::parse));
    let code = fields.optional("code", text(Name::parse));
    Some(store::NewProject { name: name?, code: code?, archived_at: None })
}

/// Create a project
///
/// Answers 403 `restricted` if your access is restricted to projects.
#[utoipa::path(
    post, path = "/api/v2/projects", tag = "projects", operation_id = "create_project", security(("jwt" = [])),
    params(IdempotencyKeyHeader),
    request_body(content = NewProjectDocument, content_type = "application/vnd.api+json"),
    extensions(("x-permission" = json!("write_registry"))),
    responses(
        (status = 201, description = "The project was created.", body = ProjectDocument, content_type = "application/vnd.api+json"),
        json_api_errors::BadBody, json_api_errors::Unauthenticated, json_api_errors::Forbidden, json_api_errors::Conflict, json_api_errors::NegotiationFailed,
    ),
)]
pub async fn create_project(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<WriteRegistry>,
    _: Negotiated,
    _: NoParams,
    IdempotentBody { value, key }: IdempotentBody<Payload>,
) -> Result {
    let new = value.resource(&DEFINITION, Target::New, read)?;
    let once =
        Idempotent::new(key, |project: &store::Project| json_api::created_to_store(&object(project.clone())));
    let made = app.create_project(&caller, &new, once).await;
    Ok(json_api::render_stored(made.map_err(|error| with_pointers(&DEFINITION, error))?))
}
