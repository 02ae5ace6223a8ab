//! /api/v1/notes: notes on people and machines.

mod create;
mod list;

use domain::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use web::{EdgeState, enum_schemas};

use crate::references::NamedReference;

pub fn routes() -> OpenApiRouter<EdgeState> {
    OpenApiRouter::new().routes(routes!(list::list_notes, create::create_note))
}

/// A note on a person or machine. It is never changed.
#[derive(Serialize, ToSchema)]
pub struct Note {
    /// Its id.
    #[schema(example = 3)]
    id: i64,
    /// What kind of thing it is about.
    #[schema(value_type = enum_schemas::EntityType, example = "person")]
    entity_type: &'static str,
    /// Which of them.
    #[schema(example = 7)]
    entity_id: i64,
    /// Who wrote it; `User 1` for those who do not see names.
    author: NamedReference,
    /// What it says; null for those who do not see names, and once the person was erased.
    #[schema(example = "Needs a new tag clip.")]
    body: Option<String>,
    /// When it was written.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    created_at: Timestamp,
}

fn shape(note: store::Note) -> Note {
    Note {
        id: note.id.0,
        entity_type: note.subject.as_str(),
        entity_id: note.subject_id,
        author: NamedReference { id: note.author.0, name: note.author_name },
        body: note.body,
        created_at: note.created_at,
    }
}
