//! GET /api/v2/projects

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::access::ReadRegistry;
use store::Slice;
use web::{Caller, Result, json_api};

use super::{Project, objects};
use crate::document::{self, Included, ListOf, Listing, Negotiated, Wanted, about_cursor};

type ProjectListing = Listing<Project>;
type ProjectList = ListOf<Project>;

/// Lists the projects you see.
#[utoipa::path(
    get, path = "/api/v2/projects", tag = "projects", operation_id = "list_projects", security(("jwt" = [])),
    params(ProjectListing),
    responses(
        (status = 200, description = "A page of projects", body = ProjectList, content_type = "application/vnd.api+json"),
        json_api::BadParams, json_api::Unauthenticated, json_api::NotNegotiable,
    ),
)]
pub async fn list_projects(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadRegistry>,
    _: Negotiated,
    wanted: Wanted<ProjectListing>,
) -> Result {
    let Listing { filter, sorting, window, include, .. } = &wanted.params;
    let slice = app.slice_projects(&caller, filter, *sorting, window).await;
    let Slice { rows, previous, next } = slice.map_err(|error| about_cursor(error, &window.place))?;
    let mut included = Included::default();
    let rows = objects(&app, &caller, rows, include, &mut included).await?;
    Ok(document::page(&wanted, &Slice { rows, previous, next }, included))
}
