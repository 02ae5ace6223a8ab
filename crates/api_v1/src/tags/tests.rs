//! GET /api/v1/tags/{id}/tests

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::TagId;
use domain::access::ReadRegistry;
use web::{Caller, List, ListParams, Params, PathId, Result, problem};

use super::{TagTest, shape_test};

pub type TagTestList = List<TagTest>;

/// List tests of a tag
///
/// The latest tests come first.
#[web::operation(
    get, path = "/api/v1/tags/{id}/tests", tag = "tags", operation_id = "list_tests_of_tag",
    params(("id" = i64, Path, description = "Identifier of the tag"), ListParams),
    responses(
        (status = 200, description = "A page of tag tests", body = TagTestList),
        problem::BadParams, problem::NotFound,
    ),
)]
pub async fn list_tests_of_tag(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadRegistry>,
    PathId(id): PathId,
    Params(list): Params<ListParams>,
) -> Result {
    let (id, page) = (TagId(id), list.page());
    let found = app.list_tests_of_tag(&caller.reader(), id, &page, list.include_total).await?;
    Ok(web::list_response(&list, found, shape_test))
}
