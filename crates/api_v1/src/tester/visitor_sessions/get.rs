//! GET /api/v1/tester/visitor_sessions/{id}

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::VisitId;
use web::{NoParams, PathId, Result, Tester, problem};

use crate::visitor_sessions::{VisitorSession, shape};

/// Get a visit of the device's brand
///
/// Returns the visit with the visitor and the tag. Visits of other brands do not exist for the device.
#[web::operation(
    get, path = "/api/v1/tester/visitor_sessions/{id}", tag = "tester", operation_id = "get_tester_visitor_session",
    params(("id" = i64, Path, description = "Identifier of the visit")),
    responses(
        (status = 200, description = "The visit", body = VisitorSession,
            headers(("ETag" = String, description = "Version of the resource"))),
        problem::NotFound,
    ),
)]
pub async fn get_visitor_session(
    State(app): State<Arc<App>>,
    Tester(tester): Tester,
    PathId(id): PathId,
    _: NoParams,
) -> Result {
    let visit = app.find_visitor_session(&tester.reader(), VisitId(id)).await?;
    let version = visit.version;
    Ok(web::with_etag(web::json_response(&shape(visit, app.clock.now())), version, None))
}
