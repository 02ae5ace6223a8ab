//! PATCH /api/v2/projects/{id}

use std::sync::Arc;

use app::{App, ProjectChange};
use axum::extract::State;
use domain::access::WriteRegistry;
use domain::{Name, ProjectId};
use utoipa::ToSchema;
use web::{Caller, Condition, Fields, NoParams, PathId, Result, Unread, flag, json_api, text};

use super::{Project, SHAPE, object};
use crate::document::{self, ChangeOf, DocumentOf, Negotiated, Payload, Target, pointed};

/// What to change; what is left out stays.
#[derive(ToSchema)]
#[schema(as = ChangedProjectAttributes)]
#[expect(dead_code, reason = "describes the body for OpenAPI; it is read field by field")]
pub struct ChangedProject {
    /// What it is called.
    #[schema(example = "North bridge", min_length = 1, max_length = 100, nullable = false)]
    name: Option<String>,
    /// What the brand's own books call it; null takes it away.
    #[schema(example = "NB-2026", min_length = 1, max_length = 100)]
    code: Option<String>,
    /// `true` archives it, `false` restores it.
    #[schema(nullable = false, example = false)]
    archived: Option<bool>,
}

type ChangedProjectDocument = ChangeOf<Project>;
type ProjectDocument = DocumentOf<Project>;

fn read(fields: &mut Fields) -> Option<ProjectChange> {
    let name = fields.change("name", text(Name::parse));
    let code = fields.change_optional("code", text(Name::parse));
    let archived = fields.change("archived", flag);
    Some(ProjectChange { name: name?, code: code?, archived: archived? })
}

/// Changes a project; with `archived`, archives or restores it.
#[utoipa::path(
    patch, path = "/api/v2/projects/{id}", tag = "projects", operation_id = "change_project", security(("jwt" = [])),
    params(
        ("id" = String, Path, description = "The project's id"),
        ("If-Match" = Option<String>, Header, description = "The ETag you read; 412 if it was changed since"),
    ),
    request_body(content = ChangedProjectDocument, content_type = "application/vnd.api+json"),
    extensions(("x-permission" = json!("write_registry"))),
    responses(
        (status = 200, description = "Changed", body = ProjectDocument, content_type = "application/vnd.api+json",
            headers(("ETag" = String, description = "Its version"))),
        json_api::BadBody, json_api::Unauthenticated, json_api::Forbidden, json_api::NotFound, json_api::Conflict,
        json_api::Stale, json_api::NotNegotiable,
    ),
)]
pub async fn change_project(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<WriteRegistry>,
    _: Negotiated,
    PathId(id): PathId,
    Condition(if_match): Condition,
    _: NoParams,
    body: Unread,
) -> Result {
    app.check_project(&caller, ProjectId(id)).await?;
    let change = body.read::<Payload>().await?.resource(&SHAPE, Target::Existing(id), read)?;
    let project = app.change_project(&caller, ProjectId(id), &if_match, change).await;
    let project = project.map_err(|error| pointed(&SHAPE, error))?;
    let version = project.version;
    Ok(web::versioned(document::changed(&object(project)), version, None))
}
