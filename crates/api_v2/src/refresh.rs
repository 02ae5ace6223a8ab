//! POST /api/v2/refresh

use std::sync::Arc;

use app::{App, Error, Origin};
use axum::extract::{Extension, FromRequest, Request, State};
use domain::Invalid;
use web::{Body, NoParams, Result, SessionIdentity, json_api_errors};

use crate::tokens::{self, REFRESH_TOKEN};

/// Request body for clients that do not send the `RefreshToken` header.
// Anonymous callers send these bodies, and each is buffered in memory.
#[web::body(format = JsonOrForm, max_bytes = 64 * 1024)]
pub struct RefreshBody {
    /// Refresh token from the last login, refresh or proof.
    #[schema(format = Password, example = "kcr_…")]
    #[field(parse = |token| Ok(token.to_owned()))]
    refresh_token: String,
}

/// Exchange a refresh token for new tokens
///
/// The refresh token is taken from the `RefreshToken` header or from the body, and can be used once. Sending it again within ten
/// seconds returns the same successor; sending it later ends the session. The body may also be a form
/// (`application/x-www-form-urlencoded`).
#[web::operation(
    post, path = "/api/v2/refresh", tag = "session", operation_id = "refresh", security(),
    params(("RefreshToken" = Option<String>, Header, description = "Refresh token, unless it is in the body.")),
    // By reference, which makes the body optional: `Option` would also allow a body that is null.
    request_body(
        content = ref("#/components/schemas/RefreshBody"), content_type = "application/json",
        description = "The refresh token, unless it is in the header.",
    ),
    responses(
        (status = 200, description = "New tokens were issued.", body = SessionIdentity, headers(
            ("AccessToken" = String, description = "Access token (a JWT) to send as the bearer token."),
            ("AccessTokenExpiry" = i64, description = "Time at which the access token expires, in Unix seconds."),
            ("RefreshToken" = String, description = "Refresh token for the next refresh; it can be used once."),
        )),
        json_api_errors::BadBody, json_api_errors::Unauthenticated,
    ),
)]
pub async fn refresh(
    State(app): State<Arc<App>>,
    Extension(origin): Extension<Origin>,
    _: NoParams,
    request: Request,
) -> Result {
    let token = match request.headers().get(REFRESH_TOKEN) {
        // A header that is not text cannot be a token that was issued.
        Some(value) => value.to_str().unwrap_or("unreadable").to_owned(),
        None if request.headers().contains_key(http::header::CONTENT_TYPE) => {
            let Body(RefreshBody { refresh_token }) = Body::from_request(request, &()).await?;
            refresh_token
        }
        None => {
            let missing = Invalid::new("required", "must be given in the body or in the RefreshToken header");
            return Err(Error::invalid_field("refresh_token", missing).into());
        }
    };
    tokens::token_response(&app.refresh_tokens(&token, &origin).await?)
}
