//! GET /api/v2/projects/{id}

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::ProjectId;
use domain::access::ReadRegistry;
use web::{Caller, IfNoneMatchHeader, PathId, Result, json_api_errors};

use super::{Project, objects};
use crate::json_api::{self, DocumentOf, DocumentQuery, Included, Negotiated, ResourceParams};

type ProjectReading = ResourceParams<Project>;
type ProjectDocument = DocumentOf<Project>;

/// Get a project
///
/// Returns the project, archived or not, if you can see it.
#[web::operation(
    get, path = "/api/v2/projects/{id}", tag = "projects", operation_id = "get_project",
    params(
        ("id" = String, Path, description = "Id of the project."),
        ("If-None-Match" = Option<String>, Header, description = "ETag of the version you have; 304 if it is still current."),
        ProjectReading,
    ),
    responses(
        (status = 200, description = "The project.", body = ProjectDocument, content_type = "application/vnd.api+json",
            headers(("ETag" = String, description = "Version of the project."))),
        (status = 304, description = "The version you have is still current."),
        json_api_errors::BadParams, json_api_errors::NotFound, json_api_errors::NegotiationFailed,
    ),
)]
pub async fn get_project(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadRegistry>,
    _: Negotiated,
    PathId(id): PathId,
    if_none_match: IfNoneMatchHeader,
    query: DocumentQuery<ProjectReading>,
) -> Result {
    let include = &query.params.include;
    let project = app.find_project(&caller, ProjectId(id)).await?;
    let version = project.version;
    let mut included = Included::default();
    let object = objects(&app, &caller, vec![project], include, &mut included).await?.pop();
    let if_none_match = include.if_none_match(if_none_match);
    Ok(web::with_etag(json_api::related_response(&query, object, included), version, if_none_match.as_ref()))
}
