//! GET /api/v2/people/{id}/tags

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::access::ReadRegistry;
use domain::{Listing, PersonId};
use web::{Caller, PathId, Result, json_api_errors};

use crate::json_api::{
    self, CollectionParams, DocumentQuery, Included, ListOf, Negotiated, with_cursor_parameter,
};
use crate::tags::{Tag, objects};

type TagListing = CollectionParams<Tag>;
type TagList = ListOf<Tag>;

/// List the tags of a person
///
/// Returns the tags that the person wears now.
#[web::operation(
    get, path = "/api/v2/people/{id}/tags", tag = "people", operation_id = "list_tags_of_person",
    params(("id" = String, Path, description = "Id of the person."), TagListing),
    responses(
        (status = 200, description = "A page of tags.", body = TagList, content_type = "application/vnd.api+json"),
        json_api_errors::BadParams, json_api_errors::NotFound, json_api_errors::NegotiationFailed,
    ),
)]
pub async fn list_tags_of_person(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadRegistry>,
    _: Negotiated,
    PathId(id): PathId,
    query: DocumentQuery<TagListing>,
) -> Result {
    let CollectionParams { filter, window, include, .. } = &query.params;
    query.params.refuse_changes()?;
    let reader = caller.reader();
    app.find_person(&reader, PersonId(id)).await?;
    let mut filter = filter.clone();
    if !filter.people.is_empty() && !filter.people.contains(&PersonId(id)) {
        // Nobody wears a tag of someone else.
        filter.rows.ids = Some(Vec::new());
    }
    filter.people = vec![PersonId(id)];
    let found = app.list_tags(&reader, &filter, &query.params.request()).await;
    let Listing { rows, previous, next, total, changes } =
        found.map_err(|error| with_cursor_parameter(error, &window.position))?;
    let mut included = Included::default();
    let rows = objects(&app, &caller, rows, include, &mut included).await?;
    Ok(json_api::listing_response(&query, &Listing { rows, previous, next, total, changes }, included))
}
