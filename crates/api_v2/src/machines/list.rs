//! GET /api/v2/machines

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::Listing;
use domain::access::ReadRegistry;
use web::{Caller, Result, json_api_errors};

use super::{Machine, objects};
use crate::json_api::{
    self, CollectionParams, DocumentQuery, Included, ListOf, Negotiated, with_cursor_parameter,
};

type MachineListing = CollectionParams<Machine>;
type MachineList = ListOf<Machine>;

/// List machines
///
/// Returns the machines that you can see.
#[web::operation(
    get, path = "/api/v2/machines", tag = "machines", operation_id = "list_machines",
    params(MachineListing),
    responses(
        (status = 200, description = "A page of machines.", body = MachineList, content_type = "application/vnd.api+json"),
        json_api_errors::BadParams, json_api_errors::NegotiationFailed,
    ),
)]
pub async fn list_machines(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadRegistry>,
    _: Negotiated,
    query: DocumentQuery<MachineListing>,
) -> Result {
    let CollectionParams { filter, window, include, .. } = &query.params;
    let found = app.list_machines(&caller, filter, &query.params.request()).await;
    let Listing { rows, previous, next, total, changes } =
        found.map_err(|error| with_cursor_parameter(error, &window.position))?;
    let mut included = Included::default();
    let rows = objects(&app, &caller, rows, include, &mut included).await?;
    Ok(json_api::listing_response(&query, &Listing { rows, previous, next, total, changes }, included))
}
