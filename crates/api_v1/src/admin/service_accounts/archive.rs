//! DELETE /api/v1/admin/service_accounts/{id}

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::UserId;
use domain::access::ManageUsers;
use web::{FreshCaller, NoParams, PathId, Result, problem};

use super::{ServiceAccount, shape};

/// Archive a service account
///
/// Its tokens stop working immediately, and it cannot be restored. What it has made stays, and its name is free again. The operation is
/// idempotent.
///
/// If your access is restricted to projects, a service account with wider access than yours is not found.
#[web::operation(
    delete, path = "/api/v1/admin/service_accounts/{id}", tag = "admin", operation_id = "archive_service_account",
    params(("id" = i64, Path, description = "Identifier of the service account")),
    responses(
        (status = 200, description = "The archived service account", body = ServiceAccount),
        problem::NotFound,
    ),
)]
pub async fn archive_service_account(
    State(app): State<Arc<App>>,
    FreshCaller(caller): FreshCaller<ManageUsers>,
    PathId(id): PathId,
    _: NoParams,
) -> Result {
    Ok(web::json_response(&shape(app.archive_service_account(&caller, UserId(id)).await?)))
}
