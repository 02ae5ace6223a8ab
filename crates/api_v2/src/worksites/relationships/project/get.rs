//! GET /api/v2/worksites/{id}/relationships/project

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::WorksiteId;
use domain::access::ReadRegistry;
use web::{Caller, IfNoneMatchHeader, NoParams, PathId, Result, json_api_errors};

use crate::json_api::{self, DocumentQuery, Identifier, LinkTo, Negotiated};
use crate::projects::{self, Project};

type ProjectLink = LinkTo<Project>;

/// Get the project identifier of a worksite
///
/// Returns the project that the worksite belongs to now, or null if it belongs to none.
#[web::operation(
    get, path = "/api/v2/worksites/{id}/relationships/project", tag = "worksites", operation_id = "get_project_link",
    params(
        ("id" = String, Path, description = "Id of the worksite."),
        ("If-None-Match" = Option<String>, Header, description = "ETag of the worksite you have; 304 if it is still current."),
    ),
    responses(
        (status = 200, description = "Identifier of the project, or null.", body = ProjectLink,
            content_type = "application/vnd.api+json",
            headers(("ETag" = String, description = "Version of the worksite."))),
        (status = 304, description = "The version you have is still current."),
        json_api_errors::BadParams, json_api_errors::NotFound, json_api_errors::NegotiationFailed,
    ),
)]
pub async fn get_project_link(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadRegistry>,
    _: Negotiated,
    PathId(id): PathId,
    if_none_match: IfNoneMatchHeader,
    query: DocumentQuery<NoParams>,
) -> Result {
    let site = app.find_worksite(&caller, WorksiteId(id)).await?;
    let project = site.project.map(|id| Identifier::new(projects::DEFINITION.kind, id.0));
    Ok(web::with_etag(json_api::linkage_response(&query, project), site.version, Some(&if_none_match)))
}
