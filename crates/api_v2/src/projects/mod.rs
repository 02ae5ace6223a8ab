//! /api/v2/projects

mod change;
mod create;
mod documents;
mod get;
mod list;
mod relationships;
mod worksites;

use app::Error;
use domain::Timestamp;
use serde::Serialize;
use store::{ProjectFilter, SortKey};
use utoipa::{PartialSchema, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use web::{EdgeState, Query};

use crate::json_api::{Arity, Collection, Filter, Relationship, Resource, ResourceDefinition, Writable};
use crate::{machines, worksites as sites};

pub use documents::{object, objects};

pub fn routes() -> OpenApiRouter<EdgeState> {
    OpenApiRouter::new()
        .routes(routes!(list::list_projects, create::create_project))
        .routes(routes!(get::get_project, change::change_project))
        .routes(routes!(worksites::list_worksites_of_project))
        .merge(relationships::routes())
}

/// A project, which holds worksites: its attributes.
#[derive(Serialize, ToSchema)]
#[schema(as = ProjectAttributes)]
pub struct Project {
    /// What it is called.
    #[schema(example = "North bridge")]
    name: String,
    /// What the brand's own books call it.
    #[schema(example = "NB-2026")]
    code: Option<String>,
    /// Whether it is archived.
    archived: bool,
    /// When it was archived.
    #[schema(value_type = Option<String>, format = DateTime)]
    archived_at: Option<Timestamp>,
    /// When it was added.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    created_at: Timestamp,
    /// When it was last changed.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    updated_at: Timestamp,
}

pub const DEFINITION: ResourceDefinition = ResourceDefinition {
    kind: "projects",
    path: Some("/api/v2/projects"),
    attributes: &["name", "code", "archived", "archived_at", "created_at", "updated_at"],
    relationships: &[Relationship { name: "worksites", kind: "worksites", arity: Arity::Many, field: None }],
};

impl Resource for Project {
    const NAME: &'static str = "Project";
    const DEFINITION: &'static ResourceDefinition = &DEFINITION;
    const INCLUDES: &'static [&'static str] = &["worksites", "worksites.machines"];
    const INCLUDED_TYPES: &'static [&'static ResourceDefinition] =
        &[&sites::DEFINITION, &machines::DEFINITION];

    type Listed = Self;
}

impl Writable for Project {
    type New = create::NewProject;
    type Changed = change::ChangedProject;
}

impl Collection for Project {
    type Filter = ProjectFilter;

    const FILTERS: &'static [Filter] = &[
        Filter {
            name: "filter[archived]",
            description: "The archived ones instead of the active ones",
            schema: bool::schema,
        },
        Filter {
            name: "filter[q]",
            description: "Part of a name, whatever its case and accents",
            schema: String::schema,
        },
    ];

    const SORTS: &'static [(&'static str, SortKey)] =
        &[("name", SortKey::Name), ("created_at", SortKey::CreatedAt), ("updated_at", SortKey::UpdatedAt)];

    fn filter(query: &mut Query) -> Result<ProjectFilter, Error> {
        Ok(ProjectFilter { archived: query.flag("filter[archived]")?, q: query.search("filter[q]")? })
    }
}
