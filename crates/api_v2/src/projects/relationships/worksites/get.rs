//! GET /api/v2/projects/{id}/relationships/worksites

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::ProjectId;
use domain::access::ReadRegistry;
use web::{Caller, PathId, Result, json_api_errors};

use super::{WorksiteLinks, slice_links};
use crate::json_api::{self, DocumentQuery, LinkageParams, Negotiated, with_cursor_parameter};

/// List the worksite identifiers of a project
///
/// Returns active worksites only, sorted by name.
#[web::operation(
    get, path = "/api/v2/projects/{id}/relationships/worksites", tag = "projects",
    operation_id = "get_worksite_links",
    params(("id" = String, Path, description = "Id of the project."), LinkageParams),
    responses(
        (status = 200, description = "A page of resource identifiers.", body = WorksiteLinks,
            content_type = "application/vnd.api+json"),
        json_api_errors::BadParams, json_api_errors::NotFound, json_api_errors::NegotiationFailed,
    ),
)]
pub async fn get_worksite_links(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadRegistry>,
    _: Negotiated,
    PathId(id): PathId,
    query: DocumentQuery<LinkageParams>,
) -> Result {
    let window = &query.params.window;
    app.find_project(&caller, ProjectId(id)).await?;
    let slice = slice_links(&app, &caller, ProjectId(id), window).await;
    let slice = slice.map_err(|error| with_cursor_parameter(error, &window.position))?;
    Ok(json_api::linkage_page_response(&query, slice))
}
