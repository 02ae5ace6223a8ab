//! DELETE /api/v1/admin/users/{id}/second_factor and DELETE /api/v1/admin/users/{id}/sessions

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::UserId;
use domain::access::ManageUsers;
use web::{FreshCaller, NoParams, PathId, Result, problem};

use super::{User, shape};
use crate::session::EndedSessions;

/// Remove a user's second factor
///
/// For a user who has lost it. The recovery codes are removed too. The operation is idempotent.
///
/// If your access is restricted to projects, a user with wider access than yours is not found.
#[web::operation(
    delete, path = "/api/v1/admin/users/{id}/second_factor", tag = "admin", operation_id = "reset_second_factor",
    params(("id" = i64, Path, description = "Identifier of the user")),
    responses(
        (status = 200, description = "The user without a second factor", body = User),
        problem::NotFound,
    ),
)]
pub async fn reset_second_factor(
    State(app): State<Arc<App>>,
    FreshCaller(caller): FreshCaller<ManageUsers>,
    PathId(id): PathId,
    _: NoParams,
) -> Result {
    Ok(web::json_response(&shape(app.reset_second_factor(&caller, UserId(id)).await?)))
}

/// End all sessions of a user
///
/// The user may sign in again.
///
/// If your access is restricted to projects, a user with wider access than yours is not found.
#[web::operation(
    delete, path = "/api/v1/admin/users/{id}/sessions", tag = "admin", operation_id = "end_user_sessions",
    params(("id" = i64, Path, description = "Identifier of the user")),
    responses(
        (status = 200, description = "The number of ended sessions", body = EndedSessions),
        problem::NotFound,
    ),
)]
pub async fn end_user_sessions(
    State(app): State<Arc<App>>,
    FreshCaller(caller): FreshCaller<ManageUsers>,
    PathId(id): PathId,
    _: NoParams,
) -> Result {
    let sessions_ended = app.end_user_sessions(&caller, UserId(id)).await?;
    Ok(web::json_response(&EndedSessions { sessions_ended }))
}
