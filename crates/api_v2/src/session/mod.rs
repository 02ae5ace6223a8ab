//! /api/v2/session: who the token stands for.

pub mod delete;
pub mod get;

use app::App;
use domain::Timestamp;
use domain::access::BeSignedIn;
use serde::Serialize;
use utoipa::ToSchema;
use web::Result;

/// A session that has ended.
#[derive(Serialize, ToSchema)]
pub struct EndedSession {
    /// Its id.
    #[schema(example = 1)]
    id: i64,
    /// When it ended.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    ended_at: Timestamp,
}

/// Ends the caller's session; both ways to log out do this.
pub async fn end(app: &App, caller: &app::Caller<BeSignedIn>) -> Result {
    let ended_at = app.log_out(caller).await?;
    Ok(web::answer(&EndedSession { id: caller.identity.session.0, ended_at }))
}
