//! /api/v1/tag_assignments: handing tags out and taking them back, at a desk.

mod change;
pub mod create;
mod delete;
mod get;
mod list;

use domain::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use web::EdgeState;

use crate::references::{Actor, PersonReference, TagReference};

pub use list::{AssignmentParams, TagAssignmentList};

pub fn routes() -> OpenApiRouter<EdgeState> {
    OpenApiRouter::new().routes(routes!(list::list_tag_assignments, create::create_tag_assignment)).routes(
        routes!(get::get_tag_assignment, change::change_tag_assignment, delete::delete_tag_assignment),
    )
}

/// Who wears which tag, from when to when.
#[derive(Serialize, ToSchema)]
pub struct TagAssignment {
    /// Its id.
    #[schema(example = 9)]
    id: i64,
    /// The tag.
    tag: TagReference,
    /// The person.
    person: PersonReference,
    /// Since when.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    assigned_at: Timestamp,
    /// By whom.
    assigned_by: Actor,
    /// Until when; null while it is open.
    #[schema(value_type = Option<String>, format = DateTime)]
    ended_at: Option<Timestamp>,
    /// By whom it was ended.
    ended_by: Option<Actor>,
    /// When it was added.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    created_at: Timestamp,
    /// When it was last changed.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    updated_at: Timestamp,
}

/// An assignment as the interface shows it.
pub fn shape(assignment: store::Assignment) -> TagAssignment {
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
