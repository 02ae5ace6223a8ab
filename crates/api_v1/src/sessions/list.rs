//! GET /api/v1/sessions

use std::sync::Arc;

use app::{App, Error};
use axum::extract::State;
use domain::Timestamp;
use domain::access::BeSignedIn;
use serde::Serialize;
use utoipa::ToSchema;
use web::{Caller, FromParams, List, ListParams, Params, Query, Result, problem};

/// One of your sessions.
#[derive(Serialize, ToSchema)]
pub struct Session {
    /// Identifier of the session.
    #[schema(example = 1)]
    id: i64,
    /// Kind of session: `cookie` (V1) or `jwt` (V2).
    #[schema(example = "cookie")]
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
    /// Time at which the session was last used, RFC 3339 in UTC, accurate to the minute.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    last_used_at: Timestamp,
    /// Time at which the session expires at the latest, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-08T08:00:00Z")]
    expires_at: Timestamp,
}

pub type SessionList = List<Session>;

pub struct SessionParams(ListParams);

impl FromParams for SessionParams {
    fn read(query: &mut Query) -> Result<Self, Error> {
        ListParams::read_without_total(query).map(Self)
    }
}

/// List your open sessions
///
/// The newest sessions come first.
#[web::operation(
    get, path = "/api/v1/sessions", tag = "session", operation_id = "list_sessions",
    params(
        ("limit" = Option<u16>, Query, description = "Maximum number of rows, 1 to 500", minimum = 1, maximum = 500),
        ("cursor" = Option<String>, Query, description = "Value of `next` from the previous page"),
    ),
    responses(
        (status = 200, description = "A page of sessions", body = SessionList),
        problem::BadParams,
    ),
)]
pub async fn list_sessions(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<BeSignedIn>,
    Params(SessionParams(list)): Params<SessionParams>,
) -> Result {
    let page = app.list_own_sessions(&caller, &list.page()).await?;
    Ok(web::list_response(&list, (page, None), |session: domain::OpenSession| Session {
        id: session.id.0,
        kind: session.kind.as_str(),
        current: session.id == caller.identity.session,
        address: session.address,
        created_at: session.created_at,
        last_used_at: session.last_used_at,
        expires_at: session.expires_at,
    }))
}
