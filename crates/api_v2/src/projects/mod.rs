//! /api/v2/projects

mod change;
mod create;
mod documents;
mod get;
mod list;
mod relationships;
mod worksites;

use app::Error;
use domain::{ProjectFilter, RegistryRows, SortKey, Timestamp};
use web::{OperationRouter, PartialSchema, Query, routes};

use crate::json_api::{
    Arity, Collection, Filter, IncludedType, Relationship, Resource, ResourceDefinition, Writable,
};
use crate::machines::Machine;
use crate::worksites::Worksite;

pub use documents::{object, objects};

pub fn routes() -> OperationRouter {
    OperationRouter::new()
        .routes(routes!(list::list_projects, create::create_project))
        .routes(routes!(get::get_project, change::change_project))
        .routes(routes!(worksites::list_worksites_of_project))
        .merge(relationships::routes())
}

/// Attributes of a project, which groups worksites.
#[web::answer(sparse)]
#[schema(as = ProjectAttributes)]
pub struct Project {
    /// Name of the project.
    #[schema(example = "North bridge")]
    name: String,
    /// Project code in the brand's own systems.
    #[schema(example = "NB-2026")]
    code: Option<String>,
    /// Whether the project is archived.
    archived: bool,
    /// Time at which the project was archived, RFC 3339 in UTC; null while it is active.
    #[schema(value_type = Option<String>, format = DateTime)]
    archived_at: Option<Timestamp>,
    /// Time at which the project was created, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    created_at: Timestamp,
    /// Time of the last change, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    updated_at: Timestamp,
}

pub const DEFINITION: ResourceDefinition = ResourceDefinition {
    kind: "projects",
    path: Some("/api/v2/projects"),
    attributes: &["name", "code", "archived", "archived_at", "created_at", "updated_at"],
    relationships: &[Relationship {
        name: "worksites",
        kind: "worksites",
        other_kind: None,
        related: "Worksite",
        arity: Arity::Many,
        field: None,
        is_derived: false,
        has_links: true,
    }],
};

impl Resource for Project {
    const NAME: &'static str = "Project";
    const DEFINITION: &'static ResourceDefinition = &DEFINITION;
    const INCLUDES: &'static [&'static str] = &["worksites", "worksites.machines"];
    const INCLUDED_TYPES: &'static [IncludedType] =
        &[IncludedType::of::<Worksite>(), IncludedType::of::<Machine>()];

    type Listed = Self;
}

impl Writable for Project {
    type New = create::NewProject;
    type Changed = change::ChangedProject;
}

impl Collection for Project {
    type Filter = ProjectFilter;

    const FILTERS: &'static [Filter] = &[
        Filter::BY_ID,
        Filter {
            name: "filter[archived]",
            description: "With `true`, returns archived projects instead of active ones.",
            schema: bool::schema,
        },
        Filter {
            name: "filter[q]",
            description: "Returns projects whose name contains this text, regardless of case and accents.",
            schema: String::schema,
        },
    ];

    const SORTS: &'static [(&'static str, SortKey)] =
        &[("name", SortKey::Name), ("created_at", SortKey::CreatedAt), ("updated_at", SortKey::UpdatedAt)];

    const HAS_VERSIONS: bool = true;

    fn filter(query: &mut Query) -> Result<ProjectFilter, Error> {
        Ok(ProjectFilter {
            archived: query.flag("filter[archived]")?,
            q: query.search("filter[q]")?,
            rows: RegistryRows { ids: query.comma_ids("filter[id]")?, changed: None },
        })
    }
}
