//! GET /api/v2/saved_views

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::access::ReadInsights;
use store::Slice;
use web::{Caller, Result, json_api};

use super::{SavedView, object};
use crate::document::{self, Included, ListOf, Listing, Negotiated, Wanted, about_cursor};

type SavedViewListing = Listing<SavedView>;
type SavedViewList = ListOf<SavedView>;

/// Lists your own views, and those that others of your brand share.
#[utoipa::path(
    get, path = "/api/v2/saved_views", tag = "saved views", operation_id = "list_saved_views", security(("jwt" = [])),
    params(SavedViewListing),
    responses(
        (status = 200, description = "A page of views", body = SavedViewList, content_type = "application/vnd.api+json"),
        json_api::BadParams, json_api::Unauthenticated, json_api::NotNegotiable,
    ),
)]
pub async fn list_saved_views(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadInsights>,
    _: Negotiated,
    wanted: Wanted<SavedViewListing>,
) -> Result {
    let Listing { filter, sorting, window, .. } = &wanted.params;
    let slice = app.slice_saved_views(&caller, filter, *sorting, window).await;
    let Slice { rows, previous, next } = slice.map_err(|error| about_cursor(error, &window.place))?;
    let rows = rows.into_iter().map(object).collect();
    Ok(document::page(&wanted, &Slice { rows, previous, next }, Included::default()))
}
