//! GET /api/v1/tags/{id}/assignments

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::TagId;
use domain::access::ReadRegistry;
use web::{Caller, ListParams, Params, PathId, Result, problem};

use crate::tag_assignments::{TagAssignmentList, shape};

/// List assignments of a tag
///
/// The latest assignments come first.
#[web::operation(
    get, path = "/api/v1/tags/{id}/assignments", tag = "tags", operation_id = "list_assignments_of_tag",
    params(("id" = i64, Path, description = "Identifier of the tag"), ListParams),
    responses(
        (status = 200, description = "A page of tag assignments", body = TagAssignmentList),
        problem::BadParams, problem::NotFound,
    ),
)]
pub async fn list_assignments_of_tag(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadRegistry>,
    PathId(id): PathId,
    Params(list): Params<ListParams>,
) -> Result {
    let (id, page) = (TagId(id), list.page());
    let found = app.list_assignments_of_tag(&caller.reader(), id, &page, list.include_total).await?;
    Ok(web::list_response(&list, found, shape))
}
