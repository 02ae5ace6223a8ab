//! POST /api/v1/admin/users/{id}/deactivate and …/reactivate

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::UserId;
use domain::access::ManageUsers;
use web::{FreshCaller, NoParams, PathId, Result, problem};

use super::{User, shape};

/// Shuts a user out at once: their sessions end. Doing so twice is fine.
///
/// If you are restricted to projects, a user who sees more than you is not found.
#[utoipa::path(
    post, path = "/api/v1/admin/users/{id}/deactivate", tag = "admin", operation_id = "deactivate_user",
    security(("session" = ["fresh_proof"])),
    params(("id" = i64, Path, description = "The user's id")),
    extensions(("x-permission" = json!("manage_users"))),
    responses(
        (status = 200, description = "Shut out", body = User),
        problem::Unauthenticated, problem::Forbidden, problem::NotFound, problem::Conflict,
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

/// Lets a user back in, with the password they had; one who never chose one is invited as before.
///
/// If you are restricted to projects, a user who sees more than you is not found.
#[utoipa::path(
    post, path = "/api/v1/admin/users/{id}/reactivate", tag = "admin", operation_id = "reactivate_user",
    security(("session" = ["fresh_proof"])),
    params(("id" = i64, Path, description = "The user's id")),
    extensions(("x-permission" = json!("manage_users"))),
    responses(
        (status = 200, description = "Back in", body = User),
        problem::Unauthenticated, problem::Forbidden, problem::NotFound,
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
