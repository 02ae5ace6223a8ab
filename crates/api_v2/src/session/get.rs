//! GET /api/v2/session

use domain::Timestamp;
use domain::access::ManageOwnSignIn;
use serde::Serialize;
use utoipa::ToSchema;
use web::{Caller, NoParams, Result, SessionIdentity, json_api_errors};

/// Who the token stands for, and until when.
#[derive(Serialize, ToSchema)]
pub struct Session {
    #[serde(flatten)]
    identity: SessionIdentity,
    /// When the access token expires.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:15:00Z")]
    expires_at: Option<Timestamp>,
}

/// Validates the token: who it stands for, and until when.
#[utoipa::path(
    get, path = "/api/v2/session", tag = "session", operation_id = "get_session", security(("jwt" = [])),
    responses(
        (status = 200, description = "The token is good", body = Session),
        json_api_errors::Unauthenticated,
    ),
)]
pub async fn get_session(Caller(caller): Caller<ManageOwnSignIn>, _: NoParams) -> Result {
    Ok(web::json_response(&Session {
        identity: SessionIdentity::new(&caller.identity),
        expires_at: caller.expires_at,
    }))
}
