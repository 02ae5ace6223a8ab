//! A person as other records refer to them.

use domain::PersonName;

use crate::Error;
use crate::engine::row::{FromColumns, Row};

/// From the columns of the id, the name and the kind.
impl FromColumns<3> for PersonName {
    fn from_columns(row: &Row, [id, name, kind]: [&'static str; 3]) -> Result<Self, Error> {
        Ok(Self { id: row.get(id)?, name: row.get(name)?, kind: row.get(kind)? })
    }
}

/// None if the id or the name is null.
impl FromColumns<3> for Option<PersonName> {
    fn from_columns(row: &Row, [id, name, kind]: [&'static str; 3]) -> Result<Self, Error> {
        match (row.get(id)?, row.get(name)?) {
            (Some(id), Some(name)) => Ok(Some(PersonName { id, name, kind: row.get(kind)? })),
            _ => Ok(None),
        }
    }
}
