//! GET /api/v2/tags/{id}

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::TagId;
use domain::access::ReadRegistry;
use web::{Caller, PathId, Result, json_api_errors};

use super::Tag;
use super::documents::objects;
use crate::json_api::{self, DocumentOf, DocumentQuery, Included, Negotiated, ResourceParams};

type TagReading = ResourceParams<Tag>;
type TagDocument = DocumentOf<Tag>;

/// Get a tag by id
///
/// Returns the tag with its current state and flags.
#[web::operation(
    get, path = "/api/v2/tags/{id}", tag = "tags", operation_id = "get_tag",
    params(("id" = String, Path, description = "Id of the tag."), TagReading),
    responses(
        (status = 200, description = "The tag.", body = TagDocument, content_type = "application/vnd.api+json",
            headers(("ETag" = String, description = "Version of the tag."))),
        json_api_errors::BadParams, json_api_errors::NotFound, json_api_errors::NegotiationFailed,
    ),
)]
pub async fn get_tag(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadRegistry>,
    _: Negotiated,
    PathId(id): PathId,
    query: DocumentQuery<TagReading>,
) -> Result {
    let tag = app.find_tag(&caller.reader(), TagId(id)).await?;
    let version = tag.details.tag.version;
    let mut included = Included::default();
    let object = objects(&app, &caller, vec![tag], &query.params.include, &mut included).await?.pop();
    // 304 is never sent: the flags change with time.
    Ok(web::with_etag(json_api::related_response(&query, object, included), version, None))
}
