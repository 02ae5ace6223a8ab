//! The author of a change, as rows store it.

use domain::{Actor, ActorKind};

use crate::Error;
use crate::engine::row::{FromColumns, Row, impl_from_word};

impl_from_word! {
    // Among users the kind of a person is stored as such.
    ActorKind, |word| if word == "person" { Ok(ActorKind::User) } else { ActorKind::parse(word).ok_or(()) };
}

/// From the columns of the kind, the id and the name.
impl FromColumns<3> for Actor {
    fn from_columns(row: &Row, [kind, id, name]: [&'static str; 3]) -> Result<Self, Error> {
        Ok(Self { kind: row.get(kind)?, id: row.get(id)?, name: row.get(name)? })
    }
}

/// None if the kind is null.
impl FromColumns<3> for Option<Actor> {
    fn from_columns(row: &Row, [kind, id, name]: [&'static str; 3]) -> Result<Self, Error> {
        let kind: Option<ActorKind> = row.get(kind)?;
        let (id, name) = (row.get(id)?, row.get(name)?);
        Ok(kind.map(|kind| Actor { kind, id, name }))
    }
}
