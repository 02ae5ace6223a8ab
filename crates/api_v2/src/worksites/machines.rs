//! GET /api/v2/worksites/{id}/machines

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::access::ReadRegistry;
use domain::{Listing, WorksiteId};
use web::{Caller, PathId, Result, json_api_errors};

use crate::json_api::{
    self, CollectionParams, DocumentQuery, Included, ListOf, Negotiated, with_cursor_parameter,
};
use crate::machines::{self, Machine};

type MachineListing = CollectionParams<Machine>;
type MachineList = ListOf<Machine>;

/// List the machines at a worksite
///
/// Returns the machines that are assigned to the worksite now.
#[web::operation(
    get, path = "/api/v2/worksites/{id}/machines", tag = "worksites", operation_id = "list_machines_at_worksite",
    params(("id" = String, Path, description = "Id of the worksite."), MachineListing),
    responses(
        (status = 200, description = "A page of machines.", body = MachineList,
            content_type = "application/vnd.api+json"),
        json_api_errors::BadParams, json_api_errors::NotFound, json_api_errors::NegotiationFailed,
    ),
)]
pub async fn list_machines_at_worksite(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadRegistry>,
    _: Negotiated,
    PathId(id): PathId,
    query: DocumentQuery<MachineListing>,
) -> Result {
    let CollectionParams { filter, window, include, .. } = &query.params;
    query.params.refuse_changes()?;
    app.find_worksite(&caller, WorksiteId(id)).await?;
    let mut filter = filter.clone();
    let named = std::mem::replace(&mut filter.worksites, vec![WorksiteId(id)]);
    if !named.is_empty() && !named.contains(&WorksiteId(id)) {
        // No machine is at two worksites.
        filter.rows.ids = Some(Vec::new());
    }
    let found = app.list_machines(&caller, &filter, &query.params.request()).await;
    let Listing { rows, previous, next, total, changes } =
        found.map_err(|error| with_cursor_parameter(error, &window.position))?;
    let mut included = Included::default();
    let rows = machines::objects(&app, &caller, rows, include, &mut included).await?;
    Ok(json_api::listing_response(&query, &Listing { rows, previous, next, total, changes }, included))
}
