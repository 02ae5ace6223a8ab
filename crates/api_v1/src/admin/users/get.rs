//! GET /api/v1/admin/users/{id}

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::UserId;
use domain::access::ManageUsers;
use web::{Caller, NoParams, PathId, Result, problem};

use super::{User, shape};

/// Get a user by id
///
/// If your access is restricted to projects, a user with wider access than yours is not found.
#[web::operation(
    get, path = "/api/v1/admin/users/{id}", tag = "admin", operation_id = "get_user",
    params(("id" = i64, Path, description = "Identifier of the user")),
    responses(
        (status = 200, description = "The user", body = User, headers(("ETag" = String, description = "Version of the resource"))),
        problem::NotFound,
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
    // A login changes the answer without a new version, so 304 is never sent.
    Ok(web::with_etag(web::json_response(&shape(found)), version, None))
}
