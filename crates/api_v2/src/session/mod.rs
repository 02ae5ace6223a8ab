//! /api/v2/session: the session of the access token.

pub mod delete;
pub mod get;
pub mod proof;

use app::App;
use domain::SessionId;
use domain::access::ManageOwnSignIn;
use web::{EndedSession, Result};

/// Ends the caller's session. Both `POST /logout` and `DELETE /session` use it.
pub async fn end_session(app: &App, caller: &app::Caller<ManageOwnSignIn>) -> Result {
    let (SessionId(id), ended_at) = app.log_out(caller).await?;
    Ok(web::json_response(&EndedSession { id, ended_at }))
}
