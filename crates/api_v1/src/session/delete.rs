//! DELETE /api/v1/session

use axum::extract::State;
use domain::Timestamp;
use domain::access::BeSignedIn;
use http::{HeaderValue, header};
use serde::Serialize;
use utoipa::ToSchema;
use web::{Caller, EdgeState, NoParams, Problem, Result};

/// A session that has ended.
#[derive(Serialize, ToSchema)]
pub struct EndedSession {
    /// Its id.
    #[schema(example = 1)]
    id: i64,
    /// When it ended.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    ended_at: Timestamp,
}

/// Logs out: the session ends everywhere and the cookie is cleared.
#[utoipa::path(
    delete, path = "/api/v1/session", tag = "session", operation_id = "delete_session", security(("session" = [])),
    responses(
        (status = 200, description = "Signed out", body = EndedSession),
        (status = 401, description = "Nobody was signed in", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub async fn delete_session(
    State(EdgeState(edge)): State<EdgeState>,
    Caller(caller): Caller<BeSignedIn>,
    _: NoParams,
) -> Result {
    let ended_at = edge.app.log_out(&caller).await?;
    let mut response = web::answer(&EndedSession { id: caller.identity.session.0, ended_at });
    let cookie = super::set_cookie("", &edge.config.server);
    response
        .headers_mut()
        .insert(header::SET_COOKIE, HeaderValue::try_from(cookie).map_err(app::Error::internal)?);
    Ok(response)
}
