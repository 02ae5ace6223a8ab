//! References from one record to another, shared by both API versions.

use crate::response::enum_schemas;
use serde::Serialize;
use utoipa::ToSchema;

/// A reference to a tag.
#[derive(Serialize, ToSchema)]
pub struct TagReference {
    /// Identifier of the tag.
    #[schema(example = 12)]
    pub id: i64,
    /// Serial number printed on the tag.
    #[schema(example = "TAG-0042")]
    pub serial: String,
}

/// A reference to another record.
#[derive(Serialize, ToSchema)]
pub struct Reference {
    /// Identifier of the record.
    #[schema(example = 1)]
    pub id: i64,
}

/// A reference to another record, with its name.
#[derive(Serialize, ToSchema)]
pub struct NamedReference {
    /// Identifier of the record.
    #[schema(example = 1)]
    pub id: i64,
    /// Name of the record.
    #[schema(example = "North quay")]
    pub name: String,
}

/// A reference to a person.
#[derive(Serialize, ToSchema)]
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
#[derive(Serialize, ToSchema)]
pub struct Actor {
    /// Kind of actor: `user`, `tester_device` or `service`.
    #[schema(example = "tester_device")]
    kind: String,
    /// Identifier of the user or device; null for the service.
    #[schema(example = 1)]
    id: Option<i64>,
}

impl From<domain::Actor> for Actor {
    fn from(actor: domain::Actor) -> Self {
        Self { kind: actor.kind, id: actor.id }
    }
}

impl From<domain::PersonName> for PersonReference {
    fn from(person: domain::PersonName) -> Self {
        Self { id: person.id.0, name: person.name, kind: person.kind.as_str() }
    }
}
