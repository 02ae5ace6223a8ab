//! GET /api/v1/tags/{id}

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::TagId;
use domain::access::ReadRegistry;
use web::{Caller, NoParams, PathId, Result, problem};

use super::{Tag, shape};

/// One tag, and how it stands now.
#[utoipa::path(
    get, path = "/api/v1/tags/{id}", tag = "tags", operation_id = "get_tag", security(("session" = [])),
    params(("id" = i64, Path, description = "The tag's id")),
    responses(
        (status = 200, description = "The tag", body = Tag, headers(("ETag" = String, description = "Its version"))),
        problem::Unauthenticated, problem::NotFound,
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
    // Never a 304: flags move with the clock.
    Ok(web::with_etag(web::json_response(&shape(view)), version, None))
}
