//! DELETE /api/v2/session

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::access::BeSignedIn;
use web::{Caller, NoParams, Result};

use super::{EndedSession, end};
use crate::document::Errors;

/// Logs out, like POST /api/v2/logout.
#[utoipa::path(
    delete, path = "/api/v2/session", tag = "session", operation_id = "delete_session", security(("jwt" = [])),
    responses(
        (status = 200, description = "Signed out", body = EndedSession),
        (status = 401, description = "Nobody was signed in", body = Errors, content_type = "application/vnd.api+json"),
    ),
)]
pub async fn delete_session(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<BeSignedIn>,
    _: NoParams,
) -> Result {
    end(&app, &caller).await
}
