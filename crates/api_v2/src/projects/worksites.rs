//! GET /api/v2/projects/{id}/worksites

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::access::ReadRegistry;
use domain::{Listing, ProjectId};
use web::{Caller, PathId, Result, json_api_errors};

use crate::json_api::{
    self, CollectionParams, DocumentQuery, Included, ListOf, Negotiated, with_cursor_parameter,
};
use crate::worksites::{Worksite, objects};

type WorksiteListing = CollectionParams<Worksite>;
type WorksiteList = ListOf<Worksite>;

/// List the worksites of a project
///
/// Returns the worksites that belong to the project now, with the parameters of the list of all worksites.
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
    let CollectionParams { filter, window, include, .. } = &query.params;
    query.params.refuse_changes()?;
    app.find_project(&caller, ProjectId(id)).await?;
    let mut filter = filter.clone();
    let named = std::mem::replace(&mut filter.sites.projects, vec![ProjectId(id)]);
    if !named.is_empty() && !named.contains(&ProjectId(id)) {
        // No worksite belongs to two projects.
        filter.sites.rows.ids = Some(Vec::new());
    }
    let found = app.list_worksites(&caller, filter.sites, filter.contains, &query.params.request()).await;
    let Listing { rows, previous, next, total, changes } =
        found.map_err(|error| with_cursor_parameter(error, &window.position))?;
    let mut included = Included::default();
    let rows = objects(&app, &caller, rows, include, &mut included).await?;
    Ok(json_api::listing_response(&query, &Listing { rows, previous, next, total, changes }, included))
}
