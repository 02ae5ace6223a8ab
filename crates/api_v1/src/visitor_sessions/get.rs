//! GET /api/v1/visitor_sessions/{id}

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::VisitId;
use domain::access::ReadRegistry;
use web::{Caller, NoParams, PathId, Result, problem};

use super::{VisitorSession, shape};

/// Get a visit by id
///
/// Returns the visit with the visitor, the tag and the worksite. The duration of an open visit grows until the check-out.
#[web::operation(
    get, path = "/api/v1/visitor_sessions/{id}", tag = "visitor sessions", operation_id = "get_visitor_session",
    params(("id" = i64, Path, description = "Identifier of the visit")),
    responses(
        (status = 200, description = "The visit", body = VisitorSession,
            headers(("ETag" = String, description = "Version of the resource"))),
        problem::NotFound,
    ),
)]
pub async fn get_visitor_session(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadRegistry>,
    PathId(id): PathId,
    _: NoParams,
) -> Result {
    let visit = app.find_visitor_session(&caller.reader(), VisitId(id)).await?;
    let version = visit.version;
    // 304 is never sent: the duration of an open visit changes with time.
    Ok(web::with_etag(web::json_response(&shape(visit, app.clock.now())), version, None))
}
