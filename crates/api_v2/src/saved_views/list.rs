//! GET /api/v2/saved_views

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::Listing;
use domain::access::ReadInsights;
use web::{Caller, Result, json_api_errors};

use super::{SavedView, object};
use crate::json_api::{
    self, CollectionParams, DocumentQuery, Included, ListOf, Negotiated, with_cursor_parameter,
};

type SavedViewListing = CollectionParams<SavedView>;
type SavedViewList = ListOf<SavedView>;

/// List saved views
///
/// Returns your own views and the views that others in your brand share.
#[web::operation(
    get, path = "/api/v2/saved_views", tag = "saved views", operation_id = "list_saved_views",
    params(SavedViewListing),
    responses(
        (status = 200, description = "A page of saved views.", body = SavedViewList, content_type = "application/vnd.api+json"),
        json_api_errors::BadParams, json_api_errors::NegotiationFailed,
    ),
)]
pub async fn list_saved_views(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadInsights>,
    _: Negotiated,
    query: DocumentQuery<SavedViewListing>,
) -> Result {
    let CollectionParams { filter, sorting, window, total, .. } = &query.params;
    let found = app.list_saved_views(&caller, filter, *sorting, window, *total).await;
    let Listing { rows, previous, next, total, changes } =
        found.map_err(|error| with_cursor_parameter(error, &window.position))?;
    let rows = rows.into_iter().map(object).collect();
    let page = Listing { rows, previous, next, total, changes };
    Ok(json_api::listing_response(&query, &page, Included::default()))
}
