//! GET /api/v2/projects/{id}

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::ProjectId;
use domain::access::ReadRegistry;
use web::{Caller, Known, PathId, Result, json_api};

use super::{Project, objects};
use crate::document::{self, DocumentOf, Included, Negotiated, Reading, Wanted};

type ProjectReading = Reading<Project>;
type ProjectDocument = DocumentOf<Project>;

/// One project that you see.
#[utoipa::path(
    get, path = "/api/v2/projects/{id}", tag = "projects", operation_id = "get_project", security(("jwt" = [])),
    params(
        ("id" = String, Path, description = "The project's id"),
        ("If-None-Match" = Option<String>, Header, description = "The ETag you have; 304 if it is still the same"),
        ProjectReading,
    ),
    responses(
        (status = 200, description = "The project", body = ProjectDocument, content_type = "application/vnd.api+json",
            headers(("ETag" = String, description = "Its version"))),
        (status = 304, description = "You have it already"),
        json_api::BadParams, json_api::Unauthenticated, json_api::NotFound, json_api::NotNegotiable,
    ),
)]
pub async fn get_project(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadRegistry>,
    _: Negotiated,
    PathId(id): PathId,
    known: Known,
    wanted: Wanted<ProjectReading>,
) -> Result {
    let include = &wanted.params.include;
    let project = app.find_project(&caller, ProjectId(id)).await?;
    let version = project.version;
    let mut included = Included::default();
    let object = objects(&app, &caller, vec![project], include, &mut included).await?.pop();
    let known = include.known(known);
    Ok(web::versioned(document::related(&wanted, object, included), version, known.as_ref()))
}
