//! DELETE /api/v1/session

use axum::extract::State;
use domain::SessionId;
use domain::access::ManageOwnSignIn;
use http::{HeaderName, HeaderValue, header};
use web::{Caller, EdgeState, EndedSession, NoParams, Result};

/// Tells browsers to delete what they stored for this service.
const CLEAR_SITE_DATA: HeaderName = HeaderName::from_static("clear-site-data");

/// Sign out of the current session
///
/// The session ends and the cookie is cleared.
#[web::operation(
    delete, path = "/api/v1/session", tag = "session", operation_id = "delete_session",
    responses(
        (status = 200, description = "The ended session", body = EndedSession),
    ),
)]
pub async fn delete_session(
    State(EdgeState(edge)): State<EdgeState>,
    Caller(caller): Caller<ManageOwnSignIn>,
    _: NoParams,
) -> Result {
    let (SessionId(id), ended_at) = edge.app.log_out(&caller).await?;
    let mut response = web::json_response(&EndedSession { id, ended_at });
    let cookie = web::set_session_cookie("", &edge.config.server);
    let headers = response.headers_mut();
    headers.insert(header::SET_COOKIE, HeaderValue::try_from(cookie).map_err(app::Error::internal)?);
    // Without "cookies", which would also clear the cookies of other services on the same domain.
    headers.insert(CLEAR_SITE_DATA, HeaderValue::from_static("\"cache\", \"storage\""));
    Ok(response)
}
