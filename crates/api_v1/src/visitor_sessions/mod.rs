//! /api/v1/visitor_sessions: visits, from check-in to check-out by users.

mod change;
mod check_out;
pub mod create;
mod get;
mod list;

use domain::{ActorKind, Span, Timestamp};
use web::{OperationRouter, enum_schemas, routes};

use crate::references::{Actor, NamedReference, PersonReference, TagReference};

pub use list::VisitorSessionList;

pub fn routes() -> OperationRouter {
    OperationRouter::new()
        .routes(routes!(list::list_visitor_sessions, create::create_visitor_session))
        .routes(routes!(get::get_visitor_session, change::change_visitor_session))
        .routes(routes!(check_out::check_out_visitor))
}

/// A visit, from check-in to check-out.
#[web::answer(record)]
pub struct VisitorSession {
    /// Identifier of the visit.
    #[schema(example = 4)]
    id: i64,
    /// Visitor.
    person: PersonReference,
    /// Tag that was assigned to the visitor.
    tag: TagReference,
    /// Worksite that is visited; null if none was given.
    worksite: Option<NamedReference>,
    /// Company that the visitor represents; null for callers who may not see names.
    #[schema(example = "Plums & Co")]
    company: Option<String>,
    /// Notes on the visit; null for callers who may not see names.
    notes: Option<String>,
    /// State of the visit.
    #[schema(value_type = enum_schemas::VisitState, example = "active")]
    state: &'static str,
    /// Time of the check-in, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    checked_in_at: Timestamp,
    /// User or device that checked the visitor in.
    checked_in_by: Actor,
    /// Time until which the visitor expects to stay, RFC 3339 in UTC.
    #[schema(value_type = Option<String>, format = DateTime)]
    expected_until: Option<Timestamp>,
    /// Time of the check-out, RFC 3339 in UTC; null while the visit is active.
    #[schema(value_type = Option<String>, format = DateTime)]
    checked_out_at: Option<Timestamp>,
    /// User, device or service that checked the visitor out.
    checked_out_by: Option<Actor>,
    /// Whether the visit was closed automatically because nobody checked the visitor out.
    #[schema(example = false)]
    closed_automatically: bool,
    /// Duration of the visit until its end or until now, in whole seconds.
    #[schema(example = 3600)]
    duration_s: i64,
    /// Time at which the visit was added, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    created_at: Timestamp,
    /// Time at which the visit was last changed, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    updated_at: Timestamp,
}

pub fn shape(visit: domain::Visit, now: Timestamp) -> VisitorSession {
    let (state, until) = (visit.state(), visit.checked_out_at.unwrap_or(now));
    VisitorSession {
        id: visit.id.0,
        person: visit.person.into(),
        tag: TagReference { id: visit.tag.0, serial: visit.tag_serial },
        worksite: visit.worksite.map(|worksite| NamedReference { id: worksite.id.0, name: worksite.name }),
        company: visit.company,
        notes: visit.notes,
        state: state.as_str(),
        checked_in_at: visit.checked_in_at,
        checked_in_by: visit.checked_in_by.into(),
        expected_until: visit.expected_until,
        checked_out_at: visit.checked_out_at,
        closed_automatically: visit.checked_out_by.as_ref().is_some_and(|by| by.kind == ActorKind::Service),
        checked_out_by: visit.checked_out_by.map(Actor::from),
        // The clocks of hosts differ, so the difference could be negative.
        duration_s: (until - visit.checked_in_at).max(Span::ZERO).whole_seconds(),
        created_at: visit.created_at,
        updated_at: visit.updated_at,
    }
}
