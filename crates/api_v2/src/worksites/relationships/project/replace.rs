//! PATCH /api/v2/worksites/{id}/relationships/project

use std::sync::Arc;

use app::{App, WorksiteChange};
use axum::extract::State;
use domain::access::WriteRegistry;
use domain::{Change, ProjectId, WorksiteId};
use web::{Caller, Condition, NoParams, PathId, Result, Unread, json_api};

use crate::document::{self, Negotiated, Payload, SentLinkTo, about_linkage};
use crate::projects::{self, Project};

type SentProjectLink = SentLinkTo<Project>;

/// Says which project a worksite belongs to from now on; null for none.
///
/// 403 `restricted` if you are restricted to projects and it would change what happened outside of them.
#[utoipa::path(
    patch, path = "/api/v2/worksites/{id}/relationships/project", tag = "worksites",
    operation_id = "replace_project_link", security(("jwt" = [])),
    params(
        ("id" = String, Path, description = "The worksite's id"),
        ("If-Match" = Option<String>, Header, description = "The worksite's ETag; 412 if it was changed since"),
    ),
    request_body(content = SentProjectLink, content_type = "application/vnd.api+json"),
    extensions(("x-permission" = json!("write_registry"))),
    responses(
        (status = 204, description = "It is so", headers(("ETag" = String, description = "The worksite's version"))),
        json_api::BadBody, json_api::Unauthenticated, json_api::Forbidden, json_api::NotFound, json_api::Conflict,
        json_api::Stale, json_api::NotNegotiable,
    ),
)]
pub async fn replace_project_link(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<WriteRegistry>,
    _: Negotiated,
    PathId(id): PathId,
    Condition(if_match): Condition,
    _: NoParams,
    body: Unread,
) -> Result {
    app.check_worksite(&caller, WorksiteId(id)).await?;
    let project = body.read::<Payload>().await?.into_one(projects::SHAPE.kind)?;
    let change = WorksiteChange { project: Change::Set(project.map(ProjectId)), ..WorksiteChange::default() };
    let changed = app.change_worksite(&caller, WorksiteId(id), &if_match, change).await;
    let version = changed.map_err(about_linkage)?.version;
    Ok(web::versioned(document::done(), version, None))
}
