//! POST /api/v2/login

use std::sync::Arc;

use app::{App, Origin};
use axum::extract::{Extension, State};
use web::{Body, Login, LoginFields, NoParams, Result, Who};

use crate::document::Errors;
use crate::tokens;

/// Logs in. The tokens come in the answer's headers.
#[utoipa::path(
    post, path = "/api/v2/login", tag = "session", operation_id = "log_in", security(()),
    request_body(content(
        (Login = "application/json"),
        (Login = "application/x-www-form-urlencoded"),
    )),
    responses(
        (status = 200, description = "Signed in", body = Who, headers(
            ("AccessToken" = String, description = "The JWT"),
            ("AccessTokenExpiry" = i64, description = "When it expires, in UNIX seconds"),
            ("RefreshToken" = String, description = "Buys the next access token, once"),
        )),
        (status = 400, description = "Broken JSON", body = Errors, content_type = "application/vnd.api+json"),
        (status = 401, description = "Wrong email or password", body = Errors, content_type = "application/vnd.api+json"),
        (status = 415, description = "Neither JSON nor a form", body = Errors, content_type = "application/vnd.api+json"),
        (status = 422, description = "A field is missing or wrong", body = Errors, content_type = "application/vnd.api+json"),
        (status = 429, description = "Too many attempts", body = Errors, content_type = "application/vnd.api+json"),
    ),
)]
pub async fn log_in(
    State(app): State<Arc<App>>,
    Extension(origin): Extension<Origin>,
    _: NoParams,
    Body(LoginFields(credentials)): Body<LoginFields>,
) -> Result {
    tokens::answer(&app.log_in_with_token(&credentials, &origin).await?)
}
