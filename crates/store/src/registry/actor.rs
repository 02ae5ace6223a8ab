//! The author of a change, as rows store it.

use crate::Error;
use crate::engine::row::Row;

/// The author of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Actor {
    /// `user`, `tester_device` or `service`.
    pub kind: String,
    /// The id of the user or tester device; none for the service.
    pub id: Option<i64>,
}

impl Row {
    /// Returns an actor from the columns of its kind and id, or none if the kind is null.
    pub fn actor(&self, kind: &'static str, id: &'static str) -> Result<Option<Actor>, Error> {
        let kind: Option<String> = self.get(kind)?;
        let id = self.get(id)?;
        Ok(kind.map(|kind| Actor { kind, id }))
    }
}
