//! GET /api/v1/session

use domain::access::ManageOwnSignIn;
use web::{Caller, NoParams, Result, SessionIdentity};

/// Get the current session
///
/// Returns the signed-in user.
#[web::operation(
    get, path = "/api/v1/session", tag = "session", operation_id = "get_session",
    responses(
        (status = 200, description = "The signed-in user", body = SessionIdentity),
    ),
)]
pub async fn get_session(Caller(caller): Caller<ManageOwnSignIn>, _: NoParams) -> Result {
    Ok(web::json_response(&SessionIdentity::new(&caller.identity)))
}
