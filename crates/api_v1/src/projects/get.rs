//! GET /api/v1/projects/{id}

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::ProjectId;
use domain::access::ReadRegistry;
use web::{Caller, IfNoneMatchHeader, NoParams, PathId, Result, problem};

use super::{Project, shape};

/// Get a project
///
/// Returns the project, archived or not, if you can see it.
#[web::operation(
    get, path = "/api/v1/projects/{id}", tag = "projects", operation_id = "get_project",
    params(
        ("id" = i64, Path, description = "Identifier of the project"),
        ("If-None-Match" = Option<String>, Header, description = "ETag of the copy you have; the answer is 304 if it is still current"),
    ),
    responses(
        (status = 200, description = "The project", body = Project, headers(("ETag" = String, description = "Version of the resource"))),
        (status = 304, description = "Not modified: your copy is current"),
        problem::NotFound,
    ),
)]
pub async fn get_project(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadRegistry>,
    PathId(id): PathId,
    if_none_match: IfNoneMatchHeader,
    _: NoParams,
) -> Result {
    let project = app.find_project(&caller, ProjectId(id)).await?;
    let version = project.version;
    Ok(web::with_etag(web::json_response(&shape(project)), version, Some(&if_none_match)))
}
