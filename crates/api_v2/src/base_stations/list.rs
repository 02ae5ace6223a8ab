//! GET /api/v2/base_stations

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::Listing;
use domain::access::ReadRegistry;
use web::{Caller, Result, json_api_errors};

use super::resource::{BaseStation, objects};
use crate::json_api::{
    self, CollectionParams, DocumentQuery, Included, ListOf, Negotiated, with_cursor_parameter,
};

type BaseStationListing = CollectionParams<BaseStation>;
type BaseStationList = ListOf<BaseStation>;

/// List base stations
///
/// Returns the base stations that you can see, with their current status.
#[web::operation(
    get, path = "/api/v2/base_stations", tag = "base stations", operation_id = "list_base_stations",
    params(BaseStationListing),
    responses(
        (status = 200, description = "A page of base stations.", body = BaseStationList, content_type = "application/vnd.api+json"),
        json_api_errors::BadParams, json_api_errors::NegotiationFailed,
    ),
)]
pub async fn list_base_stations(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadRegistry>,
    _: Negotiated,
    query: DocumentQuery<BaseStationListing>,
) -> Result {
    let CollectionParams { filter, window, include, .. } = &query.params;
    let found = app.list_base_stations(&caller, filter, &query.params.request()).await;
    let Listing { rows, previous, next, total, changes } =
        found.map_err(|error| with_cursor_parameter(error, &window.position))?;
    let mut included = Included::default();
    let rows = objects(&app, &caller, rows, include, &mut included).await?;
    Ok(json_api::listing_response(&query, &Listing { rows, previous, next, total, changes }, included))
}
