//! GET /api/v2/worksites/{id}/relationships/machines

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::WorksiteId;
use domain::access::ReadRegistry;
use web::{Caller, PathId, Result, json_api_errors};

use super::{MachineLinks, slice_links};
use crate::json_api::{self, DocumentQuery, LinkageParams, Negotiated, with_cursor_parameter};

/// List the machine identifiers of a worksite
///
/// Returns the machines that are assigned to the worksite now, sorted by name.
#[web::operation(
    get, path = "/api/v2/worksites/{id}/relationships/machines", tag = "worksites", operation_id = "get_machine_links",
    params(("id" = String, Path, description = "Id of the worksite."), LinkageParams),
    responses(
        (status = 200, description = "A page of resource identifiers.", body = MachineLinks,
            content_type = "application/vnd.api+json"),
        json_api_errors::BadParams, json_api_errors::NotFound, json_api_errors::NegotiationFailed,
    ),
)]
pub async fn get_machine_links(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadRegistry>,
    _: Negotiated,
    PathId(id): PathId,
    query: DocumentQuery<LinkageParams>,
) -> Result {
    let window = &query.params.window;
    app.find_worksite(&caller, WorksiteId(id)).await?;
    let slice = slice_links(&app, &caller, WorksiteId(id), window).await;
    let slice = slice.map_err(|error| with_cursor_parameter(error, &window.position))?;
    Ok(json_api::linkage_page_response(&query, slice))
}
