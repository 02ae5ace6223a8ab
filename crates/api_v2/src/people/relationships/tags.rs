//! GET /api/v2/people/{id}/relationships/tags

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::access::ReadRegistry;
use domain::{ListOrder, ListRequest, Listing, PersonId, Slice, Sorting, TagFilter};
use web::{Caller, PathId, Result, json_api_errors};

use crate::json_api::{
    self, DocumentQuery, Identifier, LinkageParams, LinksTo, Negotiated, with_cursor_parameter,
};
use crate::tags::{self, Tag};

type TagLinks = LinksTo<Tag>;

/// List the tag identifiers of a person
///
/// Returns the tags that the person wears now, sorted by serial number.
#[web::operation(
    get, path = "/api/v2/people/{id}/relationships/tags", tag = "people", operation_id = "get_tag_links",
    params(("id" = String, Path, description = "Id of the person."), LinkageParams),
    responses(
        (status = 200, description = "A page of resource identifiers.", body = TagLinks, content_type = "application/vnd.api+json"),
        json_api_errors::BadParams, json_api_errors::NotFound, json_api_errors::NegotiationFailed,
    ),
)]
pub async fn get_tag_links(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadRegistry>,
    _: Negotiated,
    PathId(id): PathId,
    query: DocumentQuery<LinkageParams>,
) -> Result {
    let window = &query.params.window;
    let reader = caller.reader();
    app.find_person(&reader, PersonId(id)).await?;
    let filter = TagFilter { people: vec![PersonId(id)], ..TagFilter::default() };
    let order = ListOrder::Sorted(Sorting::default());
    let request = ListRequest { order, window: window.clone(), include_total: false };
    let found = app.list_tags(&reader, &filter, &request).await;
    let Listing { rows, previous, next, .. } =
        found.map_err(|error| with_cursor_parameter(error, &window.position))?;
    let link = |tag: app::TagView| Identifier::new(tags::DEFINITION.kind, tag.details.tag.id.0);
    let rows = rows.into_iter().map(link).collect();
    Ok(json_api::linkage_page_response(&query, Slice { rows, previous, next }))
}
