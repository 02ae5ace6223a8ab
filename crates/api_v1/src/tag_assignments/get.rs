//! GET /api/v1/tag_assignments/{id}

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::TagAssignmentId;
use domain::access::ReadRegistry;
use web::{Caller, NoParams, PathId, Result, problem};

use super::{TagAssignment, shape};

/// Get a tag assignment
///
/// Returns who wears or wore the tag, since when and until when, and who assigned it.
#[web::operation(
    get, path = "/api/v1/tag_assignments/{id}", tag = "tag assignments", operation_id = "get_tag_assignment",
    params(("id" = i64, Path, description = "Identifier of the tag assignment")),
    responses(
        (status = 200, description = "The tag assignment", body = TagAssignment,
            headers(("ETag" = String, description = "Version of the resource"))),
        problem::NotFound,
    ),
)]
pub async fn get_tag_assignment(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadRegistry>,
    PathId(id): PathId,
    _: NoParams,
) -> Result {
    let assignment = app.find_tag_assignment(&caller.reader(), TagAssignmentId(id)).await?;
    let version = assignment.version;
    // 304 is never sent: the name of the person may have changed without a change of the assignment.
    Ok(web::with_etag(web::json_response(&shape(assignment)), version, None))
}
