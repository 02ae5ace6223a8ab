//! PATCH /api/v2/projects/{id}

use std::sync::Arc;

use app::{App, ProjectChange};
use axum::extract::State;
use domain::access::WriteRegistry;
use domain::{Name, ProjectId};
use utoipa::ToSchema;
use web::{
    Caller, DeferredBody, Fields, IfMatchHeader, NoParams, PathId, Result, boolean, json_api_errors, text,
};

use super::{DEFINITION, Project, object};
use crate::json_api::{self, ChangeOf, DocumentOf, Negotiated, Payload, Target, with_pointers};

/// Attributes of a project to change. Attributes that are left out stay as they are.
#[derive(ToSchema)]
#[schema(as = ChangedProjectAttributes)]
#[expect(dead_code, reason = "describes the body for OpenAPI; it is read field by field")]
pub struct ChangedProject {
    /// Name of the project.
    #[schema(example = "North bridge", min_length = 1, max_length = 100, nullable = false)]
    name: Option<String>,
    /// Project code in the brand's own systems; null removes it.
    #[schema(example = "NB-2026", min_length = 1, max_length = 100)]
    code: Option<String>,
    /// `true` archives the project, `false` restores it.
    #[schema(nullable = false, example = false)]
    archived: Option<bool>,
}

type ChangedProjectDocument = ChangeOf<Project>;
type ProjectDocument = DocumentOf<Project>;

fn read(fields: &mut Fields) -> Option<ProjectChange> {
    let name = fields.change("name", text(Name::parse));
    let code = fields.change_optional("code", text(Name::parse));
    let archived = fields.change("archived", boolean);
    Some(ProjectChange { name: name?, code: code?, archived: archived? })
}

/// Change, archive or restore a project
///
/// Set `archived` to archive or restore the project.
#[utoipa::path(
    patch, path = "/api/v2/projects/{id}", tag = "projects", operation_id = "change_project", security(("jwt" = [])),
    params(
        ("id" = String, Path, description = "Id of the project."),
        ("If-Match" = Option<String>, Header, description = "ETag of the version you read; 412 if the project has changed since."),
    ),
    request_body(content = ChangedProjectDocument, content_type = "application/vnd.api+json"),
    extensions(("x-permission" = json!("write_registry"))),
    responses(
        (status = 200, description = "The project was changed.", body = ProjectDocument, content_type = "application/vnd.api+json",
            headers(("ETag" = String, description = "Version of the project."))),
        json_api_errors::BadBody, json_api_errors::Unauthenticated, json_api_errors::Forbidden, json_api_errors::NotFound, json_api_errors::Conflict,
        json_api_errors::PreconditionFailed, json_api_errors::NegotiationFailed,
    ),
)]
pub async fn change_project(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<WriteRegistry>,
    _: Negotiated,
    PathId(id): PathId,
    IfMatchHeader(if_match): IfMatchHeader,
    _: NoParams,
    body: DeferredBody,
) -> Result {
    app.check_project(&caller, ProjectId(id)).await?;
    let change = body.read::<Payload>().await?.resource(&DEFINITION, Target::Existing(id), read)?;
    let project = app.change_project(&caller, ProjectId(id), &if_match, change).await;
    let project = project.map_err(|error| with_pointers(&DEFINITION, error))?;
    let version = project.version;
    Ok(web::with_etag(json_api::updated_response(&object(project)), version, None))
}
