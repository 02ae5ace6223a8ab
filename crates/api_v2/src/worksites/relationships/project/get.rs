//! GET /api/v2/worksites/{id}/relationships/project

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::WorksiteId;
use domain::access::ReadRegistry;
use web::{Caller, Known, NoParams, PathId, Result, json_api};

use crate::document::{self, Identifier, LinkTo, Negotiated, Wanted};
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
        json_api::BadParams, json_api::Unauthenticated, json_api::NotFound, json_api::NotNegotiable,
    ),
)]
pub async fn get_project_link(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadRegistry>,
    _: Negotiated,
    PathId(id): PathId,
    known: Known,
    wanted: Wanted<NoParams>,
) -> Result {
    let site = app.find_worksite(&caller, WorksiteId(id)).await?;
    let project = site.project.map(|id| Identifier::new(projects::SHAPE.kind, id.0));
    Ok(web::versioned(document::linkage(&wanted, project), site.version, Some(&known)))
}
