//! /api/v1/tester/tag_assignments: handing tags out and taking them back.

mod create;
mod delete;
mod get;
mod list;

use domain::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use web::EdgeState;

use super::{Actor, PersonReference, TagReference};

pub fn routes() -> OpenApiRouter<EdgeState> {
    OpenApiRouter::new()
        .routes(routes!(list::list_tag_assignments, create::create_tag_assignment))
        .routes(routes!(get::get_tag_assignment, delete::delete_tag_assignment))
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

fn shape(assignment: store::Assignment) -> TagAssignment {
    TagAssignment {
        id: assignment.id.0,
        tag: TagReference { id: assignment.tag.0, serial: assignment.tag_serial.clone() },
        person: PersonReference::of(&assignment),
        assigned_at: assignment.assigned_at,
        assigned_by: Actor::of(assignment.assigned_by),
        ended_at: assignment.ended_at,
        ended_by: assignment.ended_by.map(Actor::of),
        created_at: assignment.created_at,
        updated_at: assignment.updated_at,
    }
}
