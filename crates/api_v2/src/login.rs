//! POST /api/v2/login

use std::sync::Arc;

use app::{App, Origin};
use axum::extract::{Extension, State};
use web::{Body, LoginBody, NoParams, Result, SessionIdentity, json_api_errors};

use crate::tokens;

/// Sign in and receive tokens
///
/// The tokens are in the response headers `AccessToken`, `AccessTokenExpiry` and `RefreshToken`. The same fields are also accepted as a
/// form (`application/x-www-form-urlencoded`).
#[web::operation(
    post, path = "/api/v2/login", tag = "session", operation_id = "log_in", security(),
    request_body = LoginBody,
    responses(
        (status = 200, description = "The user is signed in.", body = SessionIdentity, headers(
            ("AccessToken" = String, description = "Access token (a JWT) to send as the bearer token."),
            ("AccessTokenExpiry" = i64, description = "Time at which the access token expires, in Unix seconds."),
            ("RefreshToken" = String, description = "Refresh token for the next refresh; it can be used once."),
        )),
        json_api_errors::BadBody, json_api_errors::Unauthenticated,
    ),
)]
pub async fn log_in(
    State(app): State<Arc<App>>,
    Extension(origin): Extension<Origin>,
    _: NoParams,
    Body(credentials): Body<LoginBody>,
) -> Result {
    tokens::token_response(&app.log_in_with_token(&credentials.into(), &origin).await?)
}
