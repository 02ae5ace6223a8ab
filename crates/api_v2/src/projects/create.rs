//! POST /api/v2/projects

use std::sync::Arc;

use app::{App, Idempotent};
use axum::extract::State;
use domain::Name;
use domain::access::WriteRegistry;
use web::{Caller, FromFields, IdempotentBody, NoParams, Result, json_api_errors};

use super::{DEFINITION, Project, object};
use crate::json_api::{self, DocumentOf, Negotiated, NewOf, Payload, Target, with_pointers};

/// Attributes of a new project.
#[web::body]
#[schema(as = NewProjectAttributes)]
pub struct NewProject {
    /// Name of the project.
    #[schema(example = "North bridge", min_length = 1, max_length = 100)]
    name: Name,
    /// Project code in the brand's own systems.
    #[schema(example = "NB-2026", min_length = 1, max_length = 100)]
    code: Option<Name>,
}

type NewProjectDocument = NewOf<Project>;
type ProjectDocument = DocumentOf<Project>;

/// Create a project
///
/// Answers 403 `restricted` if your access is restricted to projects.
#[web::operation(
    post, path = "/api/v2/projects", tag = "projects", operation_id = "create_project",
    request_body(content = NewProjectDocument, content_type = "application/vnd.api+json"),
    responses(
        (status = 201, description = "The project was created.", body = ProjectDocument, content_type = "application/vnd.api+json"),
        json_api_errors::BadBody, json_api_errors::Conflict, json_api_errors::NegotiationFailed,
    ),
)]
pub async fn create_project(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<WriteRegistry>,
    _: Negotiated,
    _: NoParams,
    IdempotentBody { value, key }: IdempotentBody<Payload>,
) -> Result {
    let once = Idempotent::new(key, |project: &domain::Project| {
        json_api::created_to_store(&object(project.clone())).with_version(project.version)
    });
    let made = with_pointers(&DEFINITION, async {
        let NewProject { name, code } = value.resource(&DEFINITION, &Target::New, NewProject::read)?;
        let new = domain::NewProject { name, code, archived_at: None };
        app.create_project(&caller, &new, once).await
    });
    Ok(json_api::render_stored(made.await?))
}
