//! /api/v1/notes: notes on people and machines.

mod create;
mod list;

use domain::Timestamp;
use web::{OperationRouter, enum_schemas, routes};

use crate::references::Actor;

pub fn routes() -> OperationRouter {
    OperationRouter::new().routes(routes!(list::list_notes, create::create_note))
}

/// A note on a person or machine. Notes cannot be changed.
#[web::answer]
pub struct Note {
    /// Identifier of the note.
    #[schema(example = 3)]
    id: i64,
    /// Whether the note is about a person or a machine.
    #[schema(value_type = enum_schemas::EntityType, example = "person")]
    entity_type: &'static str,
    /// Identifier of the person or machine.
    #[schema(example = 7)]
    entity_id: i64,
    /// User who wrote the note.
    author: Actor,
    /// Text of the note; null for callers who may not see names, and after the person was erased.
    #[schema(example = "Needs a new tag clip.")]
    body: Option<String>,
    /// Time at which the note was written, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    created_at: Timestamp,
    /// The same time: notes are never changed.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    updated_at: Timestamp,
}

fn shape(note: domain::Note) -> Note {
    Note {
        id: note.id.0,
        entity_type: note.subject.as_str(),
        entity_id: note.subject_id,
        author: note.author.into(),
        body: note.body,
        created_at: note.created_at,
        updated_at: note.created_at,
    }
}
