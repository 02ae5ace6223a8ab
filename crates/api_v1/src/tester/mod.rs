//! /api/v1/tester: what tester devices do, with their own tokens.

mod people_assets;
mod tag_assignments;
mod tag_tests;
mod tags;
mod visitor_sessions;

use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use web::{EdgeState, words};

pub fn routes() -> OpenApiRouter<EdgeState> {
    OpenApiRouter::new()
        .merge(people_assets::routes())
        .merge(tag_assignments::routes())
        .merge(tag_tests::routes())
        .merge(tags::routes())
        .merge(visitor_sessions::routes())
}

/// A tag, as others name it.
#[derive(Serialize, ToSchema)]
pub struct TagReference {
    /// Its id.
    #[schema(example = 12)]
    id: i64,
    /// What stands on it.
    #[schema(example = "TAG-0042")]
    serial: String,
}

/// Something else, by its id.
#[derive(Serialize, ToSchema)]
pub struct Reference {
    /// Its id.
    #[schema(example = 1)]
    id: i64,
}

/// A person, as others name them.
#[derive(Serialize, ToSchema)]
pub struct PersonReference {
    /// Their id.
    #[schema(example = 7)]
    id: i64,
    /// What they are called.
    #[schema(example = "Ada Lovelace")]
    name: String,
    /// Why they are on site.
    #[schema(value_type = words::PersonKind, example = "staff")]
    kind: &'static str,
}

/// Who did something.
#[derive(Serialize, ToSchema)]
pub struct Actor {
    /// `user` or `tester_device`.
    #[schema(example = "tester_device")]
    kind: String,
    /// Which of them.
    #[schema(example = 1)]
    id: i64,
}

impl Actor {
    fn of(actor: store::Actor) -> Self {
        Self { kind: actor.kind, id: actor.id }
    }
}

impl PersonReference {
    /// The person of an assignment.
    fn of(assignment: &store::Assignment) -> Self {
        Self {
            id: assignment.person.0,
            name: assignment.person_name.clone(),
            kind: assignment.person_kind.as_str(),
        }
    }
}
