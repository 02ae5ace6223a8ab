//! References from one record to another, shared by both API versions.

use crate::response::enum_schemas;

/// A reference to a tag.
#[macros::answer]
pub struct TagReference {
    /// Identifier of the tag.
    #[schema(example = 12)]
    pub id: i64,
    /// Serial number printed on the tag.
    #[schema(example = "TAG-0042")]
    pub serial: String,
}

/// A reference to another record.
#[macros::answer]
pub struct Reference {
    /// Identifier of the record.
    #[schema(example = 1)]
    pub id: i64,
}

/// A reference to another record, with its name.
#[macros::answer]
pub struct NamedReference {
    /// Identifier of the record.
    #[schema(example = 1)]
    pub id: i64,
    /// Name of the record.
    #[schema(example = "North quay")]
    pub name: String,
}

/// A reference to a person.
#[macros::answer]
pub struct PersonReference {
    /// Identifier of the person.
    #[schema(example = 7)]
    id: i64,
    /// Name of the person; callers who may not see names get `Person 7` instead.
    #[schema(example = "Ada Lovelace")]
    name: String,
    /// Whether the person is staff or a visitor.
    #[schema(value_type = enum_schemas::PersonKind, example = "staff")]
    kind: &'static str,
}

/// The user, device or service that did something.
#[macros::answer]
pub struct Actor {
    /// Kind of actor.
    #[schema(value_type = enum_schemas::ActorKind, example = "user")]
    r#type: &'static str,
    /// Identifier of the user, service account or device; null for the others.
    #[schema(example = 1)]
    id: Option<i64>,
    /// Name of the actor; null for those who have none, and for callers who may not see it: tester devices never see the names of users,
    /// and callers who are restricted to projects not those of tester devices at other worksites.
    #[schema(example = "Ada Lovelace")]
    name: Option<String>,
}

impl From<domain::Actor> for Actor {
    fn from(actor: domain::Actor) -> Self {
        Self { r#type: actor.kind.as_str(), id: actor.id, name: actor.name }
    }
}

impl From<domain::PersonName> for PersonReference {
    fn from(person: domain::PersonName) -> Self {
        Self { id: person.id.0, name: person.name, kind: person.kind.as_str() }
    }
}
