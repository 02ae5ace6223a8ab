//! DELETE /api/v1/tag_assignments/{id}

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::TagAssignmentId;
use domain::access::WriteRegistry;
use web::{Caller, NoParams, PathId, Result, problem};

use super::{TagAssignment, shape};

/// Takes a tag back: the assignment ends, and its history stays. Ending it twice is fine.
///
/// 403 `restricted` if you are restricted to projects and it would change what happened outside of them.
#[utoipa::path(
    delete, path = "/api/v1/tag_assignments/{id}", tag = "tag_assignments", operation_id = "delete_tag_assignment",
    security(("session" = [])),
    params(("id" = i64, Path, description = "The assignment's id")),
    extensions(("x-permission" = json!("write_registry"))),
    responses(
        (status = 200, description = "What was ended", body = TagAssignment),
        problem::Unauthenticated, problem::Forbidden, problem::NotFound,
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
