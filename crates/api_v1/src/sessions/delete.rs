//! DELETE /api/v1/sessions/{id}

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::SessionId;
use domain::access::BeSignedIn;
use web::{Caller, EndedSession, NoParams, PathId, Result, problem};

/// End one of your sessions
///
/// Ends the session at once, for instance that of a lost device. It may be the current one.
#[web::operation(
    delete, path = "/api/v1/sessions/{id}", tag = "session", operation_id = "delete_own_session",
    params(("id" = i64, Path, description = "Identifier of the session")),
    responses(
        (status = 200, description = "The ended session", body = EndedSession),
        problem::NotFound,
    ),
)]
pub async fn delete_own_session(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<BeSignedIn>,
    PathId(id): PathId,
    _: NoParams,
) -> Result {
    let ended_at = app.end_own_session(&caller, SessionId(id)).await?;
    Ok(web::json_response(&EndedSession { id, ended_at }))
}
