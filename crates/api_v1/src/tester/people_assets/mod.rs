//! /api/v1/tester/people_assets: the people of the device's brand.

mod create;
mod get;
mod list;

use domain::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use web::{EdgeState, words};

pub fn routes() -> OpenApiRouter<EdgeState> {
    OpenApiRouter::new()
        .routes(routes!(list::list_people_assets, create::create_person_asset))
        .routes(routes!(get::get_person_asset))
}

/// A person, staff or visitor.
#[derive(Serialize, ToSchema)]
pub struct PersonAsset {
    /// Its id.
    #[schema(example = 7)]
    id: i64,
    /// Why they are on site.
    #[schema(value_type = words::PersonKind, example = "staff")]
    kind: &'static str,
    /// What they are called.
    #[schema(example = "Ada Lovelace")]
    name: String,
    /// Their number with their employer.
    #[schema(example = "E-1815")]
    employee_id: Option<String>,
    /// Where they are written to.
    #[schema(example = "ada@example.com")]
    email: Option<String>,
    /// Whom they work for.
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
}

fn shape(person: store::Person) -> PersonAsset {
    PersonAsset {
        id: person.id.0,
        kind: person.kind.as_str(),
        name: person.name,
        employee_id: person.employee_id,
        email: person.email,
        company: person.company,
        created_at: person.created_at,
        updated_at: person.updated_at,
        archived_at: person.archived_at,
    }
}
