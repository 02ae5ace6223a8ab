//! POST /api/v2/login

use std::sync::Arc;

use app::{App, Origin};
use axum::extract::{Extension, State};
use web::{Body, LoginBody, LoginFields, NoParams, Result, SessionIdentity, json_api_errors};

use crate::tokens;

/// Logs in. The tokens come in the answer's headers.
#[utoipa::path(
    post, path = "/api/v2/login", tag = "session", operation_id = "log_in", security(()),
    request_body(content(
        (LoginBody = "application/json"),
        (LoginBody = "application/x-www-form-urlencoded"),
    )),
    responses(
        (status = 200, description = "Signed in", body = SessionIdentity, headers(
            ("AccessToken" = String, description = "The JWT"),
            ("AccessTokenExpiry" = i64, description = "When it expires, in UNIX seconds"),
            ("RefreshToken" = String, description = "Buys the next access token, once"),
        )),
        json_api_errors::BadBody, json_api_errors::Unauthenticated, json_api_errors::RateLimited,
    ),
)]
pub async fn log_in(
    State(app): State<Arc<App>>,
    Extension(origin): Extension<Origin>,
    _: NoParams,
    Body(LoginFields(credentials)): Body<LoginFields>,
) -> Result {
    tokens::token_response(&app.log_in_with_token(&credentials, &origin).await?)
}
