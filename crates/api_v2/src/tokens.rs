//! The three headers of a login.

use app::TokenLogin;
use axum::response::Response;
use http::{HeaderName, HeaderValue};
use web::{Result, SessionIdentity};

/// The JWT.
pub const ACCESS_TOKEN: HeaderName = HeaderName::from_static("accesstoken");
/// When it expires, in UNIX seconds.
pub const ACCESS_TOKEN_EXPIRY: HeaderName = HeaderName::from_static("accesstokenexpiry");
/// What the next refresh needs.
pub const REFRESH_TOKEN: HeaderName = HeaderName::from_static("refreshtoken");

/// 200 with the three headers and who it is.
pub fn token_response(login: &TokenLogin) -> Result {
    with_token_headers(web::json_response(&SessionIdentity::new(&login.identity)), login)
}

/// An answer, with the three headers.
pub fn with_token_headers(mut response: Response, login: &TokenLogin) -> Result {
    let headers = response.headers_mut();
    let text = |value: &str| HeaderValue::from_str(value).map_err(app::Error::internal);
    headers.insert(ACCESS_TOKEN, text(&login.access.token)?);
    headers.insert(ACCESS_TOKEN_EXPIRY, HeaderValue::from(login.access.expires_at.seconds()));
    headers.insert(REFRESH_TOKEN, text(&login.refresh_token)?);
    Ok(response)
}
