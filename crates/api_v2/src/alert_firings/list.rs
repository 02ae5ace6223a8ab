//! GET /api/v2/alert_firings

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::Listing;
use domain::access::ReadInsights;
use web::{Caller, Result, json_api_errors};

use super::AlertFiring;
use super::documents::objects;
use crate::json_api::{
    self, CollectionParams, DocumentQuery, Included, ListOf, Negotiated, with_cursor_parameter,
};

type AlertFiringListing = CollectionParams<AlertFiring>;
type AlertFiringList = ListOf<AlertFiring>;

/// List firings of alerts
///
/// Returns the alarms of all alerts, the newest first, as far as you see all projects that went into them.
#[web::operation(
    get, path = "/api/v2/alert_firings", tag = "alert firings", operation_id = "list_alert_firings",
    params(AlertFiringListing),
    responses(
        (status = 200, description = "A page of firings.", body = AlertFiringList, content_type = "application/vnd.api+json"),
        json_api_errors::BadParams, json_api_errors::NegotiationFailed,
    ),
)]
pub async fn list_alert_firings(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadInsights>,
    _: Negotiated,
    query: DocumentQuery<AlertFiringListing>,
) -> Result {
    let CollectionParams { filter, window, include, sorting, total, .. } = &query.params;
    let found = app.slice_alert_firings(&caller, filter, *sorting, window, *total).await;
    let Listing { rows, previous, next, total, changes } =
        found.map_err(|error| with_cursor_parameter(error, &window.position))?;
    let mut included = Included::default();
    let rows = objects(&app, &caller, rows, include, &mut included).await?;
    Ok(json_api::listing_response(&query, &Listing { rows, previous, next, total, changes }, included))
}
