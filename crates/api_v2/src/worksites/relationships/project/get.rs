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

/// Which project a worksite belongs to.
#[utoipa::path(
    get, path = "/api/v2/worksites/{id}/relationships/project", tag = "worksites", operation_id = "get_project_link",
    security(("jwt" = [])),
    params(
        ("id" = String, Path, description = "The worksite's id"),
        ("If-None-Match" = Option<String>, Header, description = "The ETag you have; 304 if it is still the same"),
    ),
    responses(
        (status = 200, description = "Its identifier, or null", body = ProjectLink,
            content_type = "application/vnd.api+json",
            headers(("ETag" = String, description = "The worksite's version"))),
        (status = 304, description = "You have it already"),
        json_api_errors::BadParams, json_api_errors::Unauthenticated, json_api_errors::NotFound, json_api_errors::NegotiationFailed,
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
