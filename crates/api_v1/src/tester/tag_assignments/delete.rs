//! DELETE /api/v1/tester/tag_assignments/{id}

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::TagAssignmentId;
use web::{NoParams, PathId, Result, Tester, problem};

use crate::tag_assignments::{TagAssignment, shape};

/// End a tag assignment
///
/// The tag is returned and the assignment stays in the history. The operation is idempotent.
#[web::operation(
    delete, path = "/api/v1/tester/tag_assignments/{id}", tag = "tester", operation_id = "delete_tester_tag_assignment",
    params(("id" = i64, Path, description = "Identifier of the tag assignment")),
    responses(
        (status = 200, description = "The ended tag assignment", body = TagAssignment),
        problem::NotFound,
    ),
)]
pub async fn delete_tag_assignment(
    State(app): State<Arc<App>>,
    Tester(tester): Tester,
    PathId(id): PathId,
    _: NoParams,
) -> Result {
    Ok(web::json_response(&shape(app.end_tag_assignment(&tester.editor(), TagAssignmentId(id)).await?)))
}
