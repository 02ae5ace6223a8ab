//! Notes about people and machines.

use crate::{EntityType, NoteId, Timestamp, UserId};

/// A note with its author.
#[derive(Clone, Debug)]
pub struct Note {
    pub id: NoteId,
    pub subject: EntityType,
    pub subject_id: i64,
    pub author: UserId,
    pub author_name: String,
    /// None after it was erased.
    pub body: Option<String>,
    pub created_at: Timestamp,
}
