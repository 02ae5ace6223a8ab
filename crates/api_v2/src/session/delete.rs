//! DELETE /api/v2/session

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::access::ManageOwnSignIn;
use web::{Caller, EndedSession, NoParams, Result};

use super::end_session;

/// End the current session
///
/// Does the same as `POST /api/v2/logout`.
#[web::operation(
    delete, path = "/api/v2/session", tag = "session", operation_id = "delete_session",
    responses(
        (status = 200, description = "The session has ended.", body = EndedSession),
    ),
)]
pub async fn delete_session(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ManageOwnSignIn>,
    _: NoParams,
) -> Result {
    end_session(&app, &caller).await
}
