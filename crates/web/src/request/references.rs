//! How records name one another, the same at kiosks, at desks and in programs.

use crate::response::enum_schemas;
use serde::Serialize;
use utoipa::ToSchema;

/// A tag, as others name it.
#[derive(Serialize, ToSchema)]
pub struct TagReference {
    /// Its id.
    #[schema(example = 12)]
    pub id: i64,
    /// What stands on it.
    #[schema(example = "TAG-0042")]
    pub serial: String,
}

/// Something else, by its id.
#[derive(Serialize, ToSchema)]
pub struct Reference {
    /// Its id.
    #[schema(example = 1)]
    pub id: i64,
}

/// Something else, by its id and name.
#[derive(Serialize, ToSchema)]
pub struct NamedReference {
    /// Its id.
    #[schema(example = 1)]
    pub id: i64,
    /// What it is called.
    #[schema(example = "North quay")]
    pub name: String,
}

/// A person, as others name them.
#[derive(Serialize, ToSchema)]
pub struct PersonReference {
    /// Their id.
    #[schema(example = 7)]
    id: i64,
    /// What they are called; `Person 7` for those who do not see names.
    #[schema(example = "Ada Lovelace")]
    name: String,
    /// Why they are on site.
    #[schema(value_type = enum_schemas::PersonKind, example = "staff")]
    kind: &'static str,
}

/// Who did something.
#[derive(Serialize, ToSchema)]
pub struct Actor {
    /// `user`, `tester_device` or `service`.
    #[schema(example = "tester_device")]
    kind: String,
    /// Which of them; null for the service.
    #[schema(example = 1)]
    id: Option<i64>,
}

impl From<store::Actor> for Actor {
    fn from(actor: store::Actor) -> Self {
        Self { kind: actor.kind, id: actor.id }
    }
}

impl From<store::PersonName> for PersonReference {
    fn from(person: store::PersonName) -> Self {
        Self { id: person.id.0, name: person.name, kind: person.kind.as_str() }
    }
}
