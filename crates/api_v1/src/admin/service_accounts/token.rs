//! POST and DELETE /api/v1/admin/service_accounts/{id}/token

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::access::ManageUsers;
use domain::{Span, UserId};
use web::{DeferredBody, FreshCaller, NoParams, PathId, Result, problem};

use super::{ServiceAccount, shape};

/// Time for which the previous token works, unless another is given.
const DEFAULT_OVERLAP_HOURS: i64 = 24;

/// Options for replacing the token. The body may be left out.
#[web::body]
#[derive(Default)]
pub struct ServiceTokenOptions {
    /// Number of hours for which the previous token still works; the default is 24. With 0 it stops working immediately. A token that was
    /// replaced earlier stops working in any case.
    #[schema(example = 24)]
    #[field(range = 0..=168)]
    overlap_hours: Option<i64>,
}

/// A new token of a service account. It is shown only once.
#[web::answer]
pub struct IssuedServiceToken {
    /// The token itself, a JWT to send as the bearer token of V2. Only a hash of a part of it is stored.
    #[schema(example = "eyJ…")]
    token: String,
    /// Service account that the token belongs to.
    service_account: ServiceAccount,
}

/// Issue a service account token
///
/// The token is shown only in this answer. It works until the service account expires.
///
/// If your access is restricted to projects, a service account with wider access than yours is not found.
#[web::operation(
    post, path = "/api/v1/admin/service_accounts/{id}/token", tag = "admin", operation_id = "issue_service_token",
    params(("id" = i64, Path, description = "Identifier of the service account")),
    request_body(content = ServiceTokenOptions, description = "The body may be left out"),
    responses(
        (status = 201, description = "The new token and its service account", body = IssuedServiceToken),
        problem::BadBody, problem::NotFound, problem::Conflict,
    ),
)]
pub async fn issue_service_token(
    State(app): State<Arc<App>>,
    FreshCaller(caller): FreshCaller<ManageUsers>,
    PathId(id): PathId,
    _: NoParams,
    body: DeferredBody,
) -> Result {
    app.find_service_account(&caller, UserId(id)).await?;
    let ServiceTokenOptions { overlap_hours } = body.read_or_default().await?;
    let overlap = Span::minutes(overlap_hours.unwrap_or(DEFAULT_OVERLAP_HOURS) * 60);
    let issued = app.issue_service_token(&caller, UserId(id), overlap).await?;
    let shown = IssuedServiceToken { token: issued.token, service_account: shape(issued.account) };
    Ok(web::created_response(&format!("/api/v1/admin/service_accounts/{id}"), &shown))
}

/// Revoke the tokens of a service account
///
/// They stop working immediately, also one that was replaced and still worked. The operation is idempotent.
///
/// If your access is restricted to projects, a service account with wider access than yours is not found.
#[web::operation(
    delete, path = "/api/v1/admin/service_accounts/{id}/token", tag = "admin", operation_id = "revoke_service_tokens",
    params(("id" = i64, Path, description = "Identifier of the service account")),
    responses(
        (status = 200, description = "The service account without a token", body = ServiceAccount),
        problem::NotFound,
    ),
)]
pub async fn revoke_service_tokens(
    State(app): State<Arc<App>>,
    FreshCaller(caller): FreshCaller<ManageUsers>,
    PathId(id): PathId,
    _: NoParams,
) -> Result {
    Ok(web::json_response(&shape(app.revoke_service_tokens(&caller, UserId(id)).await?)))
}
