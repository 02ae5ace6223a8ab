//! GET /api/v1/admin/users/{id}

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::UserId;
use domain::access::ManageUsers;
use web::{Caller, NoParams, PathId, Result, problem};

use super::{User, shape};

/// One user of the brand.
///
/// If you are restricted to projects, a user who sees more than you is not found.
#[utoipa::path(
    get, path = "/api/v1/admin/users/{id}", tag = "admin", operation_id = "get_user", security(("session" = [])),
    params(("id" = i64, Path, description = "The user's id")),
    extensions(("x-permission" = json!("manage_users"))),
    responses(
        (status = 200, description = "The user", body = User, headers(("ETag" = String, description = "Its version"))),
        problem::Unauthenticated, problem::Forbidden, problem::NotFound,
    ),
)]
pub async fn get_user(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ManageUsers>,
    PathId(id): PathId,
    _: NoParams,
) -> Result {
    let found = app.find_user_of_brand(&caller, UserId(id)).await?;
    let version = found.0.version;
    // Signing in changes the answer without a new version, so there is no 304.
    Ok(web::with_etag(web::json_response(&shape(found)), version, None))
}
