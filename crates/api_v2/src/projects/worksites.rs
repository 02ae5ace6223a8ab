//! GET /api/v2/projects/{id}/worksites

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::ProjectId;
use domain::access::ReadRegistry;
use store::Slice;
use web::{Caller, PathId, Result, json_api};

use crate::document::{self, Included, ListOf, Listing, Negotiated, Wanted, about_cursor};
use crate::worksites::{Worksite, objects};

type WorksiteListing = Listing<Worksite>;
type WorksiteList = ListOf<Worksite>;

/// Lists the worksites of a project.
#[utoipa::path(
    get, path = "/api/v2/projects/{id}/worksites", tag = "projects", operation_id = "list_worksites_of_project",
    security(("jwt" = [])),
    params(("id" = String, Path, description = "The project's id"), WorksiteListing),
    responses(
        (status = 200, description = "A page of worksites", body = WorksiteList,
            content_type = "application/vnd.api+json"),
        json_api::BadParams, json_api::Unauthenticated, json_api::NotFound, json_api::NotNegotiable,
    ),
)]
pub async fn list_worksites_of_project(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadRegistry>,
    _: Negotiated,
    PathId(id): PathId,
    wanted: Wanted<WorksiteListing>,
) -> Result {
    let Listing { filter, sorting, window, include, .. } = &wanted.params;
    app.find_project(&caller, ProjectId(id)).await?;
    let mut filter = filter.clone();
    if filter.sites.project.replace(ProjectId(id)).is_some_and(|named| named != ProjectId(id)) {
        // None is of two projects.
        return Ok(document::page(
            &wanted,
            &Slice { rows: Vec::new(), previous: None, next: None },
            Included::default(),
        ));
    }
    let slice = app.slice_worksites(&caller, filter.sites, filter.contains, *sorting, window).await;
    let Slice { rows, previous, next } = slice.map_err(|error| about_cursor(error, &window.place))?;
    let mut included = Included::default();
    let rows = objects(&app, &caller, rows, include, &mut included).await?;
    Ok(document::page(&wanted, &Slice { rows, previous, next }, included))
}
