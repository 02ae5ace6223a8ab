//! PATCH /api/v2/worksites/{id}/relationships/project

use std::sync::Arc;

use app::{App, WorksiteChange};
use axum::extract::State;
use domain::access::WriteRegistry;
use domain::{Change, ProjectId, WorksiteId};
use web::{Caller, DeferredBody, IfMatchHeader, NoParams, PathId, Result, json_api_errors};

use crate::json_api::{
    self, DocumentQuery, Identifier, LinkTo, LinkToRequest, Negotiated, Payload, with_linkage_pointers,
};
use crate::projects::{self, Project};

type ProjectLink = LinkTo<Project>;
type ProjectLinkRequest = LinkToRequest<Project>;

/// Move a worksite to another project
///
/// The change applies from now on; `data` null removes the worksite from its project. Answers 403 `restricted` if your access is
/// restricted to projects and the change would affect data outside of them.
#[web::operation(
    patch, path = "/api/v2/worksites/{id}/relationships/project", tag = "worksites",
    operation_id = "replace_project_link",
    params(
        ("id" = String, Path, description = "Id of the worksite."),
        ("If-Match" = Option<String>, Header, description = "ETag of the worksite; 412 if it has changed since."),
    ),
    request_body(content = ProjectLinkRequest, content_type = "application/vnd.api+json"),
    responses(
        (status = 200, description = "The project of the worksite was set; its identifier, or null.", body = ProjectLink,
            content_type = "application/vnd.api+json",
            headers(("ETag" = String, description = "Version of the worksite."))),
        json_api_errors::BadBody, json_api_errors::NotFound, json_api_errors::Conflict,
        json_api_errors::PreconditionFailed, json_api_errors::NegotiationFailed,
    ),
)]
pub async fn replace_project_link(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<WriteRegistry>,
    _: Negotiated,
    PathId(id): PathId,
    IfMatchHeader(if_match): IfMatchHeader,
    query: DocumentQuery<NoParams>,
    body: DeferredBody,
) -> Result {
    app.check_worksite(&caller, WorksiteId(id)).await?;
    let project = body.read::<Payload>().await?.into_one(projects::DEFINITION.kind)?;
    let change = WorksiteChange { project: Change::Set(project.map(ProjectId)), ..WorksiteChange::default() };
    let changed = app.change_worksite(&caller, WorksiteId(id), &if_match, change).await;
    let site = changed.map_err(with_linkage_pointers)?;
    let project = site.project.map(|id| Identifier::new(projects::DEFINITION.kind, id.0));
    Ok(web::with_etag(json_api::linkage_response(&query, project), site.version, None))
}
