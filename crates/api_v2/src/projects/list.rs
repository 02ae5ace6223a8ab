//! GET /api/v2/projects

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::Listing;
use domain::access::ReadRegistry;
use web::{Caller, Result, json_api_errors};

use super::{Project, objects};
use crate::json_api::{
    self, CollectionParams, DocumentQuery, Included, ListOf, Negotiated, with_cursor_parameter,
};

type ProjectListing = CollectionParams<Project>;
type ProjectList = ListOf<Project>;

/// List projects
///
/// Returns the projects that you can see.
#[web::operation(
    get, path = "/api/v2/projects", tag = "projects", operation_id = "list_projects",
    params(ProjectListing),
    responses(
        (status = 200, description = "A page of projects.", body = ProjectList, content_type = "application/vnd.api+json"),
        json_api_errors::BadParams, json_api_errors::NegotiationFailed,
    ),
)]
pub async fn list_projects(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadRegistry>,
    _: Negotiated,
    query: DocumentQuery<ProjectListing>,
) -> Result {
    let CollectionParams { filter, window, include, .. } = &query.params;
    let found = app.list_projects(&caller, filter, &query.params.request()).await;
    let Listing { rows, previous, next, total, changes } =
        found.map_err(|error| with_cursor_parameter(error, &window.position))?;
    let mut included = Included::default();
    let rows = objects(&app, &caller, rows, include, &mut included).await?;
    Ok(json_api::listing_response(&query, &Listing { rows, previous, next, total, changes }, included))
}
