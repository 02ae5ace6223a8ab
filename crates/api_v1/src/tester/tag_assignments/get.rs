//! GET /api/v1/tester/tag_assignments/{id}

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::TagAssignmentId;
use web::{NoParams, PathId, Result, Tester, problem};

use crate::tag_assignments::{TagAssignment, shape};

/// Get a tag assignment of the device's brand
///
/// Returns who wears or wore the tag, since when and until when. Assignments of other brands do not exist for the device.
#[web::operation(
    get, path = "/api/v1/tester/tag_assignments/{id}", tag = "tester", operation_id = "get_tester_tag_assignment",
    params(("id" = i64, Path, description = "Identifier of the tag assignment")),
    responses(
        (status = 200, description = "The tag assignment", body = TagAssignment,
            headers(("ETag" = String, description = "Version of the resource"))),
        problem::NotFound,
    ),
)]
pub async fn get_tag_assignment(
    State(app): State<Arc<App>>,
    Tester(tester): Tester,
    PathId(id): PathId,
    _: NoParams,
) -> Result {
    let assignment = app.find_tag_assignment(&tester.reader(), TagAssignmentId(id)).await?;
    let version = assignment.version;
    Ok(web::with_etag(web::json_response(&shape(assignment)), version, None))
}
