//! A person as other records refer to them.

use domain::{PersonId, PersonKind};

use crate::Error;
use crate::engine::row::{FromRow, Row};

/// A person as other records refer to them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PersonName {
    pub id: PersonId,
    pub name: String,
    pub kind: PersonKind,
}

impl FromRow for PersonName {
    fn from_row(row: &Row) -> Result<Self, Error> {
        Ok(Self { id: row.get("id")?, name: row.get("name")?, kind: row.parse("kind", PersonKind::parse)? })
    }
}

impl Row {
    /// Returns a person, as other records name them, from the columns of their id, name and kind, or none if these are null.
    pub fn person(
        &self,
        id: &'static str,
        name: &'static str,
        kind: &'static str,
    ) -> Result<Option<PersonName>, Error> {
        match (self.get(id)?, self.get(name)?) {
            (Some(id), Some(name)) => {
                Ok(Some(PersonName { id, name, kind: self.parse(kind, PersonKind::parse)? }))
            }
            _ => Ok(None),
        }
    }
}
