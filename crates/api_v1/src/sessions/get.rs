//! GET /api/v1/sessions/{id}

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::SessionId;
use domain::access::BeSignedIn;
use web::{Caller, NoParams, PathId, Result, problem};

use super::{Session, shape};

/// Get one of your open sessions
///
/// Returns when and from where you signed in, and when the session was last used; 404 if it has ended.
#[web::operation(
    get, path = "/api/v1/sessions/{id}", tag = "session", operation_id = "get_own_session",
    params(("id" = i64, Path, description = "Identifier of the session")),
    responses(
        (status = 200, description = "The session", body = Session),
        problem::NotFound,
    ),
)]
pub async fn get_own_session(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<BeSignedIn>,
    PathId(id): PathId,
    _: NoParams,
) -> Result {
    let session = app.find_own_session(&caller, SessionId(id)).await?;
    Ok(web::json_response(&shape(session, &caller)))
}
