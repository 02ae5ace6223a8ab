//! GET /api/v1/tags/{id}

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::TagId;
use domain::access::ReadRegistry;
use web::{Caller, NoParams, PathId, Result, problem};

use super::{Tag, shape};

/// Get a tag by id
///
/// Returns the tag with its current state and flags.
#[web::operation(
    get, path = "/api/v1/tags/{id}", tag = "tags", operation_id = "get_tag",
    params(("id" = i64, Path, description = "Identifier of the tag")),
    responses(
        (status = 200, description = "The tag", body = Tag, headers(("ETag" = String, description = "Version of the resource"))),
        problem::NotFound,
    ),
)]
pub async fn get_tag(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadRegistry>,
    PathId(id): PathId,
    _: NoParams,
) -> Result {
    let view = app.find_tag(&caller.reader(), TagId(id)).await?;
    let version = view.details.tag.version;
    // 304 is never sent: the flags change with time.
    Ok(web::with_etag(web::json_response(&shape(view)), version, None))
}
