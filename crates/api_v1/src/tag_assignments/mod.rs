//! /api/v1/tag_assignments: handing tags out and taking them back, by users.

mod change;
pub mod create;
mod delete;
mod get;
mod list;

use domain::Timestamp;
use web::{OperationRouter, routes};

use crate::references::{Actor, PersonReference, TagReference};

pub use list::{AssignmentParams, TagAssignmentList};

pub fn routes() -> OperationRouter {
    OperationRouter::new().routes(routes!(list::list_tag_assignments, create::create_tag_assignment)).routes(
        routes!(get::get_tag_assignment, change::change_tag_assignment, delete::delete_tag_assignment),
    )
}

/// The assignment of a tag to a person during a period.
#[web::answer(record)]
pub struct TagAssignment {
    /// Identifier of the tag assignment.
    #[schema(example = 9)]
    id: i64,
    /// Tag that is assigned.
    tag: TagReference,
    /// Person who wears the tag.
    person: PersonReference,
    /// Time at which the tag was handed out, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    assigned_at: Timestamp,
    /// User or device that handed the tag out.
    assigned_by: Actor,
    /// Time at which the tag was returned, RFC 3339 in UTC; null while the assignment is open.
    #[schema(value_type = Option<String>, format = DateTime)]
    ended_at: Option<Timestamp>,
    /// User, device or service that ended the assignment.
    ended_by: Option<Actor>,
    /// Time at which the tag assignment was added, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    created_at: Timestamp,
    /// Time at which the tag assignment was last changed, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    updated_at: Timestamp,
}

pub fn shape(assignment: domain::Assignment) -> TagAssignment {
    TagAssignment {
        id: assignment.id.0,
        tag: TagReference { id: assignment.tag.0, serial: assignment.tag_serial },
        person: assignment.person.into(),
        assigned_at: assignment.assigned_at,
        assigned_by: assignment.assigned_by.into(),
        ended_at: assignment.ended_at,
        ended_by: assignment.ended_by.map(Actor::from),
        created_at: assignment.created_at,
        updated_at: assignment.updated_at,
    }
}
