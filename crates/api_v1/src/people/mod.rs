//! /api/v1/people: the people who wear tags.

mod archive;
mod change;
pub mod create;
mod erase;
mod get;
mod list;
mod restore;

use domain::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use web::{EdgeState, enum_schemas};

pub use list::PersonList;

pub use create::NewPersonFields;

pub fn routes() -> OpenApiRouter<EdgeState> {
    OpenApiRouter::new()
        .routes(routes!(list::list_people, create::create_person))
        .routes(routes!(get::get_person, change::change_person))
        .routes(routes!(archive::archive_person))
        .routes(routes!(restore::restore_person))
        .routes(routes!(erase::erase_person))
}

/// A person, staff or visitor.
#[derive(Serialize, ToSchema)]
pub struct Person {
    /// Its id.
    #[schema(example = 7)]
    id: i64,
    /// Why they are on site.
    #[schema(value_type = enum_schemas::PersonKind, example = "staff")]
    kind: &'static str,
    /// What they are called; `Person 7` for those who do not see names, and once they were erased.
    #[schema(example = "Ada Lovelace")]
    name: String,
    /// Their number with their employer; null for those who do not see names.
    #[schema(example = "E-1815")]
    employee_id: Option<String>,
    /// Where they are written to; null for those who do not see names.
    #[schema(example = "ada@example.com")]
    email: Option<String>,
    /// Whom they work for; null for those who do not see names.
    #[schema(example = "Analytical Engines")]
    company: Option<String>,
    /// When they were added.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    created_at: Timestamp,
    /// When they were last changed.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    updated_at: Timestamp,
    /// When they were archived.
    #[schema(value_type = Option<String>, format = DateTime)]
    archived_at: Option<Timestamp>,
    /// When they were made nameless for ever.
    #[schema(value_type = Option<String>, format = DateTime)]
    erased_at: Option<Timestamp>,
}

/// A person as the interface shows them.
pub fn shape(person: store::Person) -> Person {
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
