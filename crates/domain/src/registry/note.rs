//! Notes about people and machines.

use crate::{Actor, EntityType, NoteId, Timestamp};

/// A note with its author.
#[derive(Clone, Debug)]
pub struct Note {
    pub id: NoteId,
    pub subject: EntityType,
    pub subject_id: i64,
    pub author: Actor,
    /// None after it was erased.
    pub body: Option<String>,
    pub created_at: Timestamp,
}
