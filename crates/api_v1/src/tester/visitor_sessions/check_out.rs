//! POST /api/v1/tester/visitor_sessions/{id}/check_out

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::VisitId;
use web::{NoParams, PathId, Result, Tester, problem};

use crate::visitor_sessions::{VisitorSession, shape};

/// Check a visitor out
///
/// The visit and the tag assignment end. The operation is idempotent.
#[web::operation(
    post, path = "/api/v1/tester/visitor_sessions/{id}/check_out", tag = "tester",
    operation_id = "check_out_tester_visitor",
    params(("id" = i64, Path, description = "Identifier of the visit")),
    responses(
        (status = 200, description = "The ended visit", body = VisitorSession),
        problem::NotFound,
    ),
)]
pub async fn check_out_visitor(
    State(app): State<Arc<App>>,
    Tester(tester): Tester,
    PathId(id): PathId,
    _: NoParams,
) -> Result {
    let visit = app.check_out(&tester.editor(), VisitId(id)).await?;
    Ok(web::json_response(&shape(visit, app.clock.now())))
}
