//! GET /api/v1/session

use domain::access::KeepSignIn;
use web::{Caller, NoParams, Result, Who, problem};

/// Says who is signed in.
#[utoipa::path(
    get, path = "/api/v1/session", tag = "session", operation_id = "get_session", security(("session" = [])),
    responses(
        (status = 200, description = "Who is signed in", body = Who),
        problem::Unauthenticated,
    ),
)]
pub async fn get_session(Caller(caller): Caller<KeepSignIn>, _: NoParams) -> Result {
    Ok(web::answer(&Who::new(&caller.identity)))
}
