//! /api/v1/people: the people who wear tags.

mod archive;
mod change;
mod create;
mod erase;
mod get;
mod list;
mod restore;

use domain::Timestamp;
use web::{OperationRouter, enum_schemas, routes};

pub use list::PersonList;

pub use create::NewPerson;

pub fn routes() -> OperationRouter {
    OperationRouter::new()
        .routes(routes!(list::list_people, create::create_person))
        .routes(routes!(get::get_person, change::change_person))
        .routes(routes!(archive::archive_person))
        .routes(routes!(restore::restore_person))
        .routes(routes!(erase::erase_person))
}

/// A person, who is staff or a visitor.
#[web::answer(record)]
pub struct Person {
    /// Identifier of the person.
    #[schema(example = 7)]
    id: i64,
    /// Whether the person is staff or a visitor.
    #[schema(value_type = enum_schemas::PersonKind, example = "staff")]
    kind: &'static str,
    /// Name of the person. It is `Person 7` for callers who may not see names, and after the person was erased.
    #[schema(example = "Ada Lovelace")]
    name: String,
    /// Number that the employer gave to the person; null for callers who may not see names.
    #[schema(example = "E-1815")]
    employee_id: Option<String>,
    /// Email address of the person; null for callers who may not see names.
    #[schema(example = "ada@example.com")]
    email: Option<String>,
    /// Company that the person works for; null for callers who may not see names.
    #[schema(example = "Analytical Engines")]
    company: Option<String>,
    /// Time at which the person was added, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    created_at: Timestamp,
    /// Time at which the person was last changed, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    updated_at: Timestamp,
    /// Time at which the person was archived, RFC 3339 in UTC; null while the person is active.
    #[schema(value_type = Option<String>, format = DateTime)]
    archived_at: Option<Timestamp>,
    /// Time at which the person was erased, RFC 3339 in UTC; null if the person was not.
    #[schema(value_type = Option<String>, format = DateTime)]
    erased_at: Option<Timestamp>,
}

pub fn shape(person: domain::Person) -> Person {
    Person {
        id: person.id.0,
        kind: person.kind.as_str(),
        name: person.name,
        employee_id: person.employee_id,
        email: person.email,
        company: person.company,
        created_at: person.created_at,
        updated_at: person.updated_at,
        archived_at: person.archived_at,
        erased_at: person.erased_at,
    }
}
