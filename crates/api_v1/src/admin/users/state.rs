//! POST /api/v1/admin/users/{id}/deactivate and …/reactivate

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::UserId;
use domain::access::ManageUsers;
use web::{FreshCaller, NoParams, PathId, Result, problem};

use super::{User, shape};

/// Deactivate a user
///
/// The user can no longer sign in, and the user's sessions end immediately. The operation is idempotent.
///
/// If your access is restricted to projects, a user with wider access than yours is not found.
#[web::operation(
    post, path = "/api/v1/admin/users/{id}/deactivate", tag = "admin", operation_id = "deactivate_user",
    params(("id" = i64, Path, description = "Identifier of the user")),
    responses(
        (status = 200, description = "The deactivated user", body = User),
        problem::NotFound, problem::Conflict,
    ),
)]
pub async fn deactivate_user(
    State(app): State<Arc<App>>,
    FreshCaller(caller): FreshCaller<ManageUsers>,
    PathId(id): PathId,
    _: NoParams,
) -> Result {
    Ok(web::json_response(&shape(app.deactivate_user(&caller, UserId(id)).await?)))
}

/// Reactivate a user
///
/// The user can sign in again with the same password. A user who never chose a password is invited again.
///
/// If your access is restricted to projects, a user with wider access than yours is not found.
#[web::operation(
    post, path = "/api/v1/admin/users/{id}/reactivate", tag = "admin", operation_id = "reactivate_user",
    params(("id" = i64, Path, description = "Identifier of the user")),
    responses(
        (status = 200, description = "The reactivated user", body = User),
        problem::NotFound,
    ),
)]
pub async fn reactivate_user(
    State(app): State<Arc<App>>,
    FreshCaller(caller): FreshCaller<ManageUsers>,
    PathId(id): PathId,
    _: NoParams,
) -> Result {
    Ok(web::json_response(&shape(app.reactivate_user(&caller, UserId(id)).await?)))
}
