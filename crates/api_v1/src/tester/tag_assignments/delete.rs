//! DELETE /api/v1/tester/tag_assignments/{id}

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::TagAssignmentId;
use web::{NoParams, PathId, Result, Tester, problem};

use crate::tag_assignments::{TagAssignment, shape};

/// Takes a tag back: the assignment ends, and its history stays. Ending it twice is fine.
#[utoipa::path(
    delete, path = "/api/v1/tester/tag_assignments/{id}", tag = "tester", operation_id = "delete_tester_tag_assignment",
    security(("tester_token" = [])),
    params(("id" = i64, Path, description = "The assignment's id")),
    responses(
        (status = 200, description = "What was ended", body = TagAssignment),
        problem::Unauthenticated, problem::NotFound,
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
