//! POST /api/v2/logout

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::access::ManageOwnSignIn;
use web::{Caller, EndedSession, NoParams, Result};

use crate::session::end_session;

/// Sign out and end the session
///
/// The session ends, and its access and refresh tokens are no longer valid.
#[web::operation(
    post, path = "/api/v2/logout", tag = "session", operation_id = "log_out",
    responses(
        (status = 200, description = "The session has ended.", body = EndedSession),
    ),
)]
pub async fn log_out(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ManageOwnSignIn>,
    _: NoParams,
) -> Result {
    end_session(&app, &caller).await
}
