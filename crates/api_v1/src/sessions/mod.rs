//! /api/v1/sessions: the caller's own sessions.

mod delete;
mod get;
mod list;

use app::Caller;
use domain::Timestamp;
use domain::access::BeSignedIn;
use web::{OperationRouter, enum_schemas, routes};

pub fn routes() -> OperationRouter {
    OperationRouter::new()
        .routes(routes!(list::list_sessions))
        .routes(routes!(get::get_own_session, delete::delete_own_session))
}

/// One of your sessions.
#[web::answer]
pub struct Session {
    /// Identifier of the session.
    #[schema(example = 1)]
    id: i64,
    /// Kind of session: `cookie` (V1) or `jwt` (V2).
    #[schema(value_type = enum_schemas::SessionKind, example = "cookie")]
    kind: &'static str,
    /// Whether this request was made with the session.
    #[schema(example = true)]
    current: bool,
    /// Network address that the login came from.
    #[schema(example = "192.0.2.1")]
    address: String,
    /// Time at which the session was created, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    created_at: Timestamp,
    /// Time at which the session was last changed, which is when it was last used, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    updated_at: Timestamp,
    /// Time at which the session was last used, RFC 3339 in UTC, accurate to the minute.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    last_used_at: Timestamp,
    /// Time at which the session expires at the latest, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-08T08:00:00Z")]
    expires_at: Timestamp,
}

fn shape(session: domain::OpenSession, caller: &Caller<BeSignedIn>) -> Session {
    Session {
        id: session.id.0,
        kind: session.kind.as_str(),
        current: caller.identity.session() == Some(session.id),
        address: session.address,
        created_at: session.created_at,
        updated_at: session.last_used_at,
        last_used_at: session.last_used_at,
        expires_at: session.expires_at,
    }
}
