//! POST /api/v2/projects/{id}/relationships/worksites

use std::sync::Arc;

use app::{App, LinkEdit};
use axum::extract::State;
use domain::access::WriteRegistry;
use domain::{ProjectId, WorksiteId};
use web::{Caller, NoParams, PathId, Result, Unread, json_api};

use crate::document::{self, Negotiated, Payload, SentLinksTo, about_linkage};
use crate::worksites::{self, Worksite};

type SentWorksiteLinks = SentLinksTo<Worksite>;

/// Puts worksites into a project. One that is in it already stays.
#[utoipa::path(
    post, path = "/api/v2/projects/{id}/relationships/worksites", tag = "projects", operation_id = "add_worksite_links",
    security(("jwt" = [])),
    params(("id" = String, Path, description = "The project's id")),
    request_body(content = SentWorksiteLinks, content_type = "application/vnd.api+json"),
    extensions(("x-permission" = json!("write_registry"))),
    responses(
        (status = 204, description = "It is so"),
        json_api::BadBody, json_api::Unauthenticated, json_api::Forbidden, json_api::NotFound, json_api::Conflict,
        json_api::NotNegotiable,
    ),
)]
pub async fn add_worksite_links(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<WriteRegistry>,
    _: Negotiated,
    PathId(id): PathId,
    _: NoParams,
    body: Unread,
) -> Result {
    app.check_project(&caller, ProjectId(id)).await?;
    let ids = body.read::<Payload>().await?.into_many(worksites::SHAPE.kind)?;
    let ids: Vec<_> = ids.into_iter().map(WorksiteId).collect();
    let edited = app.edit_worksites_of_project(&caller, ProjectId(id), LinkEdit::Add, &ids).await;
    edited.map_err(about_linkage)?;
    Ok(document::done())
}
