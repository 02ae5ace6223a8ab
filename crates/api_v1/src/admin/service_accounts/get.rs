//! GET /api/v1/admin/service_accounts/{id}

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::UserId;
use domain::access::ManageUsers;
use web::{Caller, NoParams, PathId, Result, problem};

use super::{ServiceAccount, shape};

/// Get a service account
///
/// The `ETag` covers the fields that people change; it does not change when a token is issued or used.
///
/// If your access is restricted to projects, a service account with wider access than yours is not found.
#[web::operation(
    get, path = "/api/v1/admin/service_accounts/{id}", tag = "admin", operation_id = "get_service_account",
    params(("id" = i64, Path, description = "Identifier of the service account")),
    responses(
        (status = 200, description = "The service account", body = ServiceAccount,
            headers(("ETag" = String, description = "Version of the resource, for If-Match"))),
        problem::NotFound,
    ),
)]
pub async fn get_service_account(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ManageUsers>,
    PathId(id): PathId,
    _: NoParams,
) -> Result {
    let found = app.find_service_account(&caller, UserId(id)).await?;
    let version = found.0.version;
    Ok(web::with_etag(web::json_response(&shape(found)), version, None))
}
