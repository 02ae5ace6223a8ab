//! /api/v1/visitor_sessions: visitors come and go, at a desk.

mod change;
mod check_out;
pub mod create;
mod get;
mod list;

use domain::{Span, Timestamp};
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use web::EdgeState;

use crate::references::{Actor, NamedReference, PersonReference, TagReference};

pub use list::{VisitorSessionList, parse_visit_state};

pub fn routes() -> OpenApiRouter<EdgeState> {
    OpenApiRouter::new()
        .routes(routes!(list::list_visitor_sessions, create::create_visitor_session))
        .routes(routes!(get::get_visitor_session, change::change_visitor_session))
        .routes(routes!(check_out::check_out_visitor))
}

/// A visitor's stay, from check-in to check-out.
#[derive(Serialize, ToSchema)]
pub struct VisitorSession {
    /// Its id.
    #[schema(example = 4)]
    id: i64,
    /// The visitor.
    person: PersonReference,
    /// The tag they got.
    tag: TagReference,
    /// Where they are; null if nobody said.
    worksite: Option<NamedReference>,
    /// For whom they came; null for those who do not see names.
    #[schema(example = "Plums & Co")]
    company: Option<String>,
    /// What was said at the desk; null for those who do not see names.
    notes: Option<String>,
    /// `active` or `completed`.
    #[schema(example = "active")]
    state: &'static str,
    /// Since when.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    checked_in_at: Timestamp,
    /// By whom.
    checked_in_by: Actor,
    /// Until when they meant to stay.
    #[schema(value_type = Option<String>, format = DateTime)]
    expected_until: Option<Timestamp>,
    /// Until when; null while they are here.
    #[schema(value_type = Option<String>, format = DateTime)]
    checked_out_at: Option<Timestamp>,
    /// By whom they were checked out.
    checked_out_by: Option<Actor>,
    /// Whether nobody checked them out, and the stay was closed at its limit.
    #[schema(example = false)]
    closed_automatically: bool,
    /// How long they stayed, or have been here, in whole seconds.
    #[schema(example = 3600)]
    duration_s: i64,
    /// When it was added.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    created_at: Timestamp,
    /// When it was last changed.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    updated_at: Timestamp,
}

/// A stay as the interface shows it.
pub fn shape(visit: store::Visit, now: Timestamp) -> VisitorSession {
    let until = visit.checked_out_at.unwrap_or(now);
    VisitorSession {
        id: visit.id.0,
        person: visit.person.into(),
        tag: TagReference { id: visit.tag.0, serial: visit.tag_serial },
        worksite: visit.worksite.map(|worksite| NamedReference { id: worksite.id.0, name: worksite.name }),
        company: visit.company,
        notes: visit.notes,
        state: if visit.checked_out_at.is_some() { "completed" } else { "active" },
        checked_in_at: visit.checked_in_at,
        checked_in_by: visit.checked_in_by.into(),
        expected_until: visit.expected_until,
        checked_out_at: visit.checked_out_at,
        closed_automatically: visit.checked_out_by.as_ref().is_some_and(|by| by.kind == "service"),
        checked_out_by: visit.checked_out_by.map(Actor::from),
        // The clocks of hosts differ: nobody has been here for less than no time.
        duration_s: (until - visit.checked_in_at).max(Span::ZERO).whole_seconds(),
        created_at: visit.created_at,
        updated_at: visit.updated_at,
    }
}
