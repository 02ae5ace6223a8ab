//! The three response headers that carry tokens.

use app::TokenLogin;
use axum::response::Response;
use http::{HeaderName, HeaderValue};
use web::{Result, SessionIdentity};

/// Carries the JWT.
pub const ACCESS_TOKEN: HeaderName = HeaderName::from_static("accesstoken");
/// Carries the expiry of the JWT, in Unix seconds.
pub const ACCESS_TOKEN_EXPIRY: HeaderName = HeaderName::from_static("accesstokenexpiry");
pub const REFRESH_TOKEN: HeaderName = HeaderName::from_static("refreshtoken");

/// Answers 200 with the token headers and the identity.
pub fn token_response(login: &TokenLogin) -> Result {
    with_token_headers(web::json_response(&SessionIdentity::new(&login.identity)), login)
}

/// Adds the token headers to a response.
pub fn with_token_headers(mut response: Response, login: &TokenLogin) -> Result {
    let headers = response.headers_mut();
    let text = |value: &str| HeaderValue::from_str(value).map_err(app::Error::internal);
    headers.insert(ACCESS_TOKEN, text(&login.access.token)?);
    headers.insert(ACCESS_TOKEN_EXPIRY, HeaderValue::from(login.access.expires_at.seconds()));
    headers.insert(REFRESH_TOKEN, text(&login.refresh_token)?);
    Ok(response)
}
