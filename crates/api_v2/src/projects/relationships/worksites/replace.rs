//! PATCH /api/v2/projects/{id}/relationships/worksites

use std::sync::Arc;

use app::{App, LinkEdit};
use axum::extract::State;
use domain::ProjectId;
use domain::access::WriteRegistry;
use web::{Caller, DeferredBody, NoParams, PathId, Result, json_api_errors};

use super::{WorksiteLinks, WorksiteLinksRequest, edit};
use crate::json_api::{DocumentQuery, Negotiated};

/// Replace the worksites of a project
///
/// Other active worksites leave the project. Refused if the project has more than a hundred active worksites. Answers 403 `restricted`
/// if your access is restricted to projects and the change would affect data outside of them.
#[web::operation(
    patch, path = "/api/v2/projects/{id}/relationships/worksites", tag = "projects", operation_id = "replace_worksite_links",
    params(("id" = String, Path, description = "Id of the project.")),
    request_body(content = WorksiteLinksRequest, content_type = "application/vnd.api+json"),
    responses(
        (status = 200, description = "The project has exactly these active worksites; the first page of the linkage.", body = WorksiteLinks,
            content_type = "application/vnd.api+json"),
        json_api_errors::BadBody, json_api_errors::NotFound, json_api_errors::Conflict,
        json_api_errors::NegotiationFailed,
    ),
)]
pub async fn replace_worksite_links(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<WriteRegistry>,
    _: Negotiated,
    PathId(id): PathId,
    query: DocumentQuery<NoParams>,
    body: DeferredBody,
) -> Result {
    edit(&app, &caller, ProjectId(id), LinkEdit::Replace, &query, body).await
}
