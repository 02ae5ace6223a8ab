//! POST /api/v2/logout

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::access::ManageOwnSignIn;
use web::{Caller, EndedSession, NoParams, Result, json_api_errors};

use crate::session::end_session;

/// Logs out: the session and its refresh tokens end.
#[utoipa::path(
    post, path = "/api/v2/logout", tag = "session", operation_id = "log_out", security(("jwt" = [])),
    responses(
        (status = 200, description = "Signed out", body = EndedSession),
        json_api_errors::Unauthenticated,
    ),
)]
pub async fn log_out(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ManageOwnSignIn>,
    _: NoParams,
) -> Result {
    end_session(&app, &caller).await
}
