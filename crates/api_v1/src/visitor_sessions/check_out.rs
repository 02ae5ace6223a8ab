//! POST /api/v1/visitor_sessions/{id}/check_out

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::VisitId;
use domain::access::WriteRegistry;
use web::{Caller, NoParams, PathId, Result, problem};

use super::{VisitorSession, shape};

/// Check a visitor out
///
/// The visit and the tag assignment end. The operation is idempotent.
///
/// Fails with 403 `restricted` if your access is restricted to projects and the change would affect records outside them.
#[web::operation(
    post, path = "/api/v1/visitor_sessions/{id}/check_out", tag = "visitor sessions",
    operation_id = "check_out_visitor",
    params(("id" = i64, Path, description = "Identifier of the visit")),
    responses(
        (status = 200, description = "The ended visit", body = VisitorSession),
        problem::NotFound,
    ),
)]
pub async fn check_out_visitor(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<WriteRegistry>,
    PathId(id): PathId,
    _: NoParams,
) -> Result {
    let visit = app.check_out(&caller.editor(), VisitId(id)).await?;
    Ok(web::json_response(&shape(visit, app.clock.now())))
}
