//! GET /api/v2/worksites/{id}/project

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::WorksiteId;
use domain::access::ReadRegistry;
use web::{Caller, PathId, Result, json_api_errors};

use crate::json_api::{self, DocumentQuery, Included, Negotiated, RelatedOf, ResourceParams};
use crate::projects::{self, Project};

type ProjectReading = ResourceParams<Project>;
type RelatedProjectDocument = RelatedOf<Project>;

/// Get the project of a worksite
///
/// `data` is null if the worksite belongs to no project.
#[web::operation(
    get, path = "/api/v2/worksites/{id}/project", tag = "worksites", operation_id = "get_project_of_worksite",
    params(("id" = String, Path, description = "Id of the worksite."), ProjectReading),
    responses(
        (status = 200, description = "The project, or null.", body = RelatedProjectDocument, content_type = "application/vnd.api+json"),
        json_api_errors::BadParams, json_api_errors::NotFound, json_api_errors::NegotiationFailed,
    ),
)]
pub async fn get_project_of_worksite(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadRegistry>,
    _: Negotiated,
    PathId(id): PathId,
    query: DocumentQuery<ProjectReading>,
) -> Result {
    let site = app.find_worksite(&caller, WorksiteId(id)).await?;
    let found = match site.project {
        Some(project) => vec![app.find_project(&caller, project).await?],
        None => Vec::new(),
    };
    let mut included = Included::default();
    let object = projects::objects(&app, &caller, found, &query.params.include, &mut included).await?.pop();
    Ok(json_api::related_response(&query, object, included))
}
