//! GET /api/v2/session

use domain::Timestamp;
use domain::access::KeepSignIn;
use serde::Serialize;
use utoipa::ToSchema;
use web::{Caller, NoParams, Result, Who, json_api};

/// Who the token stands for, and until when.
#[derive(Serialize, ToSchema)]
pub struct Session {
    #[serde(flatten)]
    who: Who,
    /// When the access token expires.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:15:00Z")]
    expires_at: Option<Timestamp>,
}

/// Validates the token: who it stands for, and until when.
#[utoipa::path(
    get, path = "/api/v2/session", tag = "session", operation_id = "get_session", security(("jwt" = [])),
    responses(
        (status = 200, description = "The token is good", body = Session),
        json_api::Unauthenticated,
    ),
)]
pub async fn get_session(Caller(caller): Caller<KeepSignIn>, _: NoParams) -> Result {
    Ok(web::answer(&Session { who: Who::new(&caller.identity), expires_at: caller.good_until }))
}
