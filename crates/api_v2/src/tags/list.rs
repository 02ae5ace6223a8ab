//! GET /api/v2/tags

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::Listing;
use domain::access::ReadRegistry;
use web::{Caller, Result, json_api_errors};

use super::Tag;
use super::documents::objects;
use crate::json_api::{
    self, CollectionParams, DocumentQuery, Included, ListOf, Negotiated, with_cursor_parameter,
};

type TagListing = CollectionParams<Tag>;
type TagList = ListOf<Tag>;

/// List tags of the brand
///
/// Returns the tags of the brand with their current state. Changes by people count as changes for `filter[after_version]`, also who wears the
/// tag, and so does a test at a tester device; contacts, battery levels and tests that base stations report do not.
#[web::operation(
    get, path = "/api/v2/tags", tag = "tags", operation_id = "list_tags",
    params(TagListing),
    responses(
        (status = 200, description = "A page of tags.", body = TagList, content_type = "application/vnd.api+json"),
        json_api_errors::BadParams, json_api_errors::NegotiationFailed,
    ),
)]
pub async fn list_tags(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadRegistry>,
    _: Negotiated,
    query: DocumentQuery<TagListing>,
) -> Result {
    let CollectionParams { filter, window, include, .. } = &query.params;
    let found = app.list_tags(&caller.reader(), filter, &query.params.request()).await;
    let Listing { rows, previous, next, total, changes } =
        found.map_err(|error| with_cursor_parameter(error, &window.position))?;
    let mut included = Included::default();
    let rows = objects(&app, &caller, rows, include, &mut included).await?;
    Ok(json_api::listing_response(&query, &Listing { rows, previous, next, total, changes }, included))
}
