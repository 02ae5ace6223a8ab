//! PUT /api/v1/session/password

use std::sync::Arc;

use app::{App, Credentials};
use axum::extract::State;
use domain::access::ManageOwnSignIn;
use web::{Body, FreshCaller, NoParams, Result, problem};

use super::EndedSessions;

/// A new password and the current one.
#[web::body]
pub struct NewPassword {
    /// Current password.
    #[schema(format = Password, example = "plum wagon sixty tiles", max_length = 1024)]
    #[field(parse = Credentials::check_password)]
    current_password: String,
    /// New password: at least 12 characters, and not easy to guess.
    #[schema(format = Password, example = "seven grey otters row", min_length = 12, max_length = 256)]
    #[field(parse = Credentials::check_password)]
    new_password: String,
}

/// Change your password
///
/// Your other sessions end.
#[web::operation(
    put, path = "/api/v1/session/password", tag = "session", operation_id = "change_password",
    request_body = NewPassword,
    responses(
        (status = 200, description = "The number of ended sessions", body = EndedSessions),
        problem::BadBody,
    ),
)]
pub async fn change_password(
    State(app): State<Arc<App>>,
    FreshCaller(caller): FreshCaller<ManageOwnSignIn>,
    _: NoParams,
    Body(NewPassword { current_password, new_password }): Body<NewPassword>,
) -> Result {
    let sessions_ended = app.change_own_password(&caller, &current_password, &new_password).await?;
    Ok(web::json_response(&EndedSessions { sessions_ended }))
}
