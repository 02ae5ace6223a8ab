//! /api/v2/session: who the token stands for.

pub mod delete;
pub mod get;
pub mod proof;

use app::App;
use domain::access::ManageOwnSignIn;
use web::{EndedSession, Result};

/// Ends the caller's session; both ways to log out do this.
pub async fn end_session(app: &App, caller: &app::Caller<ManageOwnSignIn>) -> Result {
    let ended_at = app.log_out(caller).await?;
    Ok(web::json_response(&EndedSession { id: caller.identity.session.0, ended_at }))
}
