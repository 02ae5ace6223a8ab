//! Assignments of tags to people.

use crate::{Actor, PersonId, PersonName, RegistryRows, TagAssignmentId, TagId, Timestamp};

/// An assignment with the tag's serial and the person's name.
#[derive(Clone, Debug, macros::FromRow)]
pub struct Assignment {
    pub id: TagAssignmentId,
    #[row(column = "tag_id")]
    pub tag: TagId,
    #[row(column = "serial")]
    pub tag_serial: String,
    #[row(columns("person_id", "name", "kind"))]
    pub person: PersonName,
    pub assigned_at: Timestamp,
    #[row(columns("assigned_by_kind", "assigned_by_id", "assigned_by_name"))]
    pub assigned_by: Actor,
    /// The end, exclusive; none while it is open.
    pub ended_at: Option<Timestamp>,
    #[row(columns("ended_by_kind", "ended_by_id", "ended_by_name"))]
    pub ended_by: Option<Actor>,
    /// Rises with every change; the `ETag`.
    pub version: i64,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

#[derive(Clone, Debug, Default)]
pub struct AssignmentFilter {
    /// Only open assignments, or only ended ones.
    pub open: Option<bool>,
    pub person: Option<PersonId>,
    pub tag: Option<TagId>,
    /// Only these rows of the table.
    pub rows: RegistryRows,
}
