//! GET /api/v2/projects/{id}/worksites

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::access::ReadRegistry;
use domain::{ProjectId, Slice};
use web::{Caller, PathId, Result, json_api_errors};

use crate::json_api::{
    self, CollectionParams, DocumentQuery, Included, ListOf, Negotiated, with_cursor_parameter,
};
use crate::worksites::{Worksite, objects};

type WorksiteListing = CollectionParams<Worksite>;
type WorksiteList = ListOf<Worksite>;

/// List the worksites of a project
#[web::operation(
    get, path = "/api/v2/projects/{id}/worksites", tag = "projects", operation_id = "list_worksites_of_project",
    params(("id" = String, Path, description = "Id of the project."), WorksiteListing),
    responses(
        (status = 200, description = "A page of worksites.", body = WorksiteList,
            content_type = "application/vnd.api+json"),
        json_api_errors::BadParams, json_api_errors::NotFound, json_api_errors::NegotiationFailed,
    ),
)]
pub async fn list_worksites_of_project(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadRegistry>,
    _: Negotiated,
    PathId(id): PathId,
    query: DocumentQuery<WorksiteListing>,
) -> Result {
    let CollectionParams { filter, sorting, window, include, .. } = &query.params;
    app.find_project(&caller, ProjectId(id)).await?;
    let mut filter = filter.clone();
    if filter.sites.project.replace(ProjectId(id)).is_some_and(|named| named != ProjectId(id)) {
        // No worksite belongs to two projects.
        return Ok(json_api::page_response(
            &query,
            &Slice { rows: Vec::new(), previous: None, next: None },
            Included::default(),
        ));
    }
    let slice = app.slice_worksites(&caller, filter.sites, filter.contains, *sorting, window).await;
    let Slice { rows, previous, next } =
        slice.map_err(|error| with_cursor_parameter(error, &window.position))?;
    let mut included = Included::default();
    let rows = objects(&app, &caller, rows, include, &mut included).await?;
    Ok(json_api::page_response(&query, &Slice { rows, previous, next }, included))
}
