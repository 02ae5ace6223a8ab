//! DELETE /api/v2/session

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::access::KeepSignIn;
use web::{Caller, EndedSession, NoParams, Result, json_api};

use super::end;

/// Logs out, like POST /api/v2/logout.
#[utoipa::path(
    delete, path = "/api/v2/session", tag = "session", operation_id = "delete_session", security(("jwt" = [])),
    responses(
        (status = 200, description = "Signed out", body = EndedSession),
        json_api::Unauthenticated,
    ),
)]
pub async fn delete_session(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<KeepSignIn>,
    _: NoParams,
) -> Result {
    end(&app, &caller).await
}
