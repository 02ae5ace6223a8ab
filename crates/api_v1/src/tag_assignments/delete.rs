//! DELETE /api/v1/tag_assignments/{id}

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::TagAssignmentId;
use domain::access::WriteRegistry;
use web::{Caller, NoParams, PathId, Result, problem};

use super::{TagAssignment, shape};

/// End a tag assignment
///
/// The tag is returned and the assignment stays in the history. The operation is idempotent.
///
/// Fails with 403 `restricted` if your access is restricted to projects and the change would affect records outside them.
#[web::operation(
    delete, path = "/api/v1/tag_assignments/{id}", tag = "tag assignments", operation_id = "delete_tag_assignment",
    params(("id" = i64, Path, description = "Identifier of the tag assignment")),
    responses(
        (status = 200, description = "The ended tag assignment", body = TagAssignment),
        problem::NotFound,
    ),
)]
pub async fn delete_tag_assignment(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<WriteRegistry>,
    PathId(id): PathId,
    _: NoParams,
) -> Result {
    Ok(web::json_response(&shape(app.end_tag_assignment(&caller.editor(), TagAssignmentId(id)).await?)))
}
