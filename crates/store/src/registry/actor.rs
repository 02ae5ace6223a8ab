//! The author of a change, as rows store it.

use domain::Actor;

use crate::Error;
use crate::engine::row::{FromColumns, Row};

/// From the columns of the kind and the id.
impl FromColumns<2> for Actor {
    fn from_columns(row: &Row, [kind, id]: [&'static str; 2]) -> Result<Self, Error> {
        Ok(Self { kind: row.get(kind)?, id: row.get(id)? })
    }
}

/// None if the kind is null.
impl FromColumns<2> for Option<Actor> {
    fn from_columns(row: &Row, [kind, id]: [&'static str; 2]) -> Result<Self, Error> {
        let kind: Option<String> = row.get(kind)?;
        let id = row.get(id)?;
        Ok(kind.map(|kind| Actor { kind, id }))
    }
}
