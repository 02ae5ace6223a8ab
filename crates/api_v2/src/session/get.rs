//! GET /api/v2/session

use domain::Timestamp;
use domain::access::ManageOwnSignIn;
use serde::Serialize;
use utoipa::ToSchema;
use web::{Caller, NoParams, Result, SessionIdentity};

/// The current session and its user.
#[derive(Serialize, ToSchema)]
pub struct Session {
    #[serde(flatten)]
    identity: SessionIdentity,
    /// Time at which the access token expires, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:15:00Z")]
    expires_at: Option<Timestamp>,
}

/// Get the current session
///
/// Validates the access token and returns its user and its time of expiry.
#[web::operation(
    get, path = "/api/v2/session", tag = "session", operation_id = "get_session",
    responses(
        (status = 200, description = "The access token is valid.", body = Session),
    ),
)]
pub async fn get_session(Caller(caller): Caller<ManageOwnSignIn>, _: NoParams) -> Result {
    Ok(web::json_response(&Session {
        identity: SessionIdentity::new(&caller.identity),
        expires_at: caller.expires_at,
    }))
}
