//! POST /api/v1/session

use app::Origin;
use axum::extract::{Extension, State};
use http::{HeaderMap, HeaderValue, header};
use web::{Body, EdgeState, LoginBody, NoParams, Result, SessionIdentity, problem};

/// Sign in with a session cookie
///
/// Sets the session cookie. If the request carries an older session, that session ends. The same fields are also accepted as a form
/// (`application/x-www-form-urlencoded`).
#[web::operation(
    post, path = "/api/v1/session", tag = "session", operation_id = "create_session", security(),
    request_body = LoginBody,
    responses(
        (status = 201, description = "The new session", body = SessionIdentity, headers(("Set-Cookie" = String, description = "The session cookie"))),
        problem::BadBody, problem::Unauthenticated,
    ),
)]
pub async fn create_session(
    State(EdgeState(edge)): State<EdgeState>,
    Extension(origin): Extension<Origin>,
    headers: HeaderMap,
    _: NoParams,
    Body(credentials): Body<LoginBody>,
) -> Result {
    let server = &edge.config.server;
    let old_cookie = web::cookie(&headers, web::session_cookie_name(server.is_https()));
    let login = edge.app.log_in_with_cookie(&credentials.into(), old_cookie, &origin).await?;
    let mut response = web::created_response("/api/v1/session", &SessionIdentity::new(&login.identity));
    let cookie = web::set_session_cookie(&login.cookie, server);
    response
        .headers_mut()
        .insert(header::SET_COOKIE, HeaderValue::try_from(cookie).map_err(app::Error::internal)?);
    Ok(response)
}
