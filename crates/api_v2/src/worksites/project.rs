//! GET /api/v2/worksites/{id}/project

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::WorksiteId;
use domain::access::ReadRegistry;
use web::{Caller, PathId, Result, json_api};

use crate::document::{self, Included, Negotiated, Reading, RelatedOf, Wanted};
use crate::projects::{self, Project};

type ProjectReading = Reading<Project>;
type RelatedProjectDocument = RelatedOf<Project>;

/// The project that a worksite belongs to; `data` is null if it belongs to none.
#[utoipa::path(
    get, path = "/api/v2/worksites/{id}/project", tag = "worksites", operation_id = "get_project_of_worksite",
    security(("jwt" = [])),
    params(("id" = String, Path, description = "The worksite's id"), ProjectReading),
    responses(
        (status = 200, description = "The project", body = RelatedProjectDocument, content_type = "application/vnd.api+json"),
        json_api::BadParams, json_api::Unauthenticated, json_api::NotFound, json_api::NotNegotiable,
    ),
)]
pub async fn get_project_of_worksite(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadRegistry>,
    _: Negotiated,
    PathId(id): PathId,
    wanted: Wanted<ProjectReading>,
) -> Result {
    let site = app.find_worksite(&caller, WorksiteId(id)).await?;
    let found = match site.project {
        Some(project) => vec![app.find_project(&caller, project).await?],
        None => Vec::new(),
    };
    let mut included = Included::default();
    let object = projects::objects(&app, &caller, found, &wanted.params.include, &mut included).await?.pop();
    Ok(document::related(&wanted, object, included))
}
