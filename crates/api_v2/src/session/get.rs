//! GET /api/v2/session

use domain::Timestamp;
use domain::access::ReadOwnIdentity;
use web::{Caller, NoParams, Result, SessionIdentity};

/// The current session and its user.
#[web::answer]
pub struct Session {
    #[serde(flatten)]
    identity: SessionIdentity,
    /// Time at which the access token expires, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:15:00Z")]
    expires_at: Option<Timestamp>,
}

/// Get the current session
///
/// Validates the token and returns its user and its time of expiry. The token of a service account is validated in the same way; `user` is
/// then the service account.
#[web::operation(
    get, path = "/api/v2/session", tag = "session", operation_id = "get_session",
    responses(
        (status = 200, description = "The access token is valid.", body = Session),
    ),
)]
pub async fn get_session(Caller(caller): Caller<ReadOwnIdentity>, _: NoParams) -> Result {
    Ok(web::json_response(&Session {
        identity: SessionIdentity::new(&caller.identity),
        expires_at: caller.expires_at,
    }))
}
