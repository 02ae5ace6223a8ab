//! PATCH /api/v1/projects/{id}

use std::sync::Arc;

use app::{App, ProjectChange};
use axum::extract::State;
use domain::access::WriteRegistry;
use domain::{Name, ProjectId};
use utoipa::ToSchema;
use web::{
    Caller, DeferredBody, Fields, FromFields, IfMatchHeader, NoParams, PathId, Result, boolean, problem, text,
};

use super::{Project, shape};

/// Changes to a project. Fields that are left out keep their values.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body for OpenAPI; it is read field by field")]
pub struct ChangedProject {
    /// Name of the project.
    #[schema(example = "North bridge", min_length = 1, max_length = 100, nullable = false)]
    name: Option<String>,
    /// Code of the project in the brand's own systems; null removes it.
    #[schema(example = "NB-2026", min_length = 1, max_length = 100)]
    code: Option<String>,
    /// `true` archives the project, `false` restores it.
    #[schema(nullable = false, example = false)]
    archived: Option<bool>,
}

pub struct ChangeFields(ProjectChange);

impl FromFields for ChangeFields {
    fn read(fields: &mut Fields) -> Option<Self> {
        let name = fields.change("name", text(Name::parse));
        let code = fields.change_optional("code", text(Name::parse));
        let archived = fields.change("archived", boolean);
        Some(Self(ProjectChange { name: name?, code: code?, archived: archived? }))
    }
}

/// Change, archive or restore a project
#[utoipa::path(
    patch, path = "/api/v1/projects/{id}", tag = "projects", operation_id = "change_project",
    security(("session" = [])),
    params(
        ("id" = i64, Path, description = "Identifier of the project"),
        ("If-Match" = Option<String>, Header, description = "ETag of the version you have read; the answer is 412 if it has changed since"),
    ),
    request_body = ChangedProject,
    extensions(("x-permission" = json!("write_registry"))),
    responses(
        (status = 200, description = "The changed project", body = Project, headers(("ETag" = String, description = "Version of the resource"))),
        problem::BadBody, problem::Unauthenticated, problem::Forbidden, problem::NotFound, problem::PreconditionFailed,
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
    app.check_project(&caller, ProjectId(id)).await?;
    let ChangeFields(change) = body.read().await?;
    let project = app.change_project(&caller, ProjectId(id), &if_match, change).await?;
    let version = project.version;
    Ok(web::with_etag(web::json_response(&shape(project)), version, None))
}
