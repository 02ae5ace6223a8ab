//! /api/v2/worksites

mod change;
mod create;
mod delete;
mod documents;
mod get;
mod list;
mod machines;
mod project;
mod relationships;

use app::Error;
use domain::{ProjectId, Timestamp, WorksiteKind};
use geography::Position;
use serde::Serialize;
use serde_json::Value;
use store::{SortKey, WorksiteFilter};
use utoipa::{PartialSchema, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use web::{EdgeState, Query, enum_schemas};

use crate::json_api::{Arity, Collection, Filter, Relationship, Resource, ResourceDefinition, Writable};
use crate::{machines as machine_documents, projects};

pub use documents::{object, object_with_included, objects};

pub fn routes() -> OpenApiRouter<EdgeState> {
    OpenApiRouter::new()
        .routes(routes!(list::list_worksites, create::create_worksite))
        .routes(routes!(get::get_worksite, change::change_worksite, delete::delete_worksite))
        .routes(routes!(project::get_project_of_worksite))
        .routes(routes!(machines::list_machines_at_worksite))
        .merge(relationships::routes())
}

/// A worksite, as lists show it: its attributes without its boundary, which may be long.
#[derive(Serialize, ToSchema)]
#[schema(as = ListedWorksiteAttributes)]
pub struct ListedWorksite {
    /// What it is called.
    #[schema(example = "North bridge, east bank")]
    name: String,
    /// The colour it is drawn in.
    #[schema(example = "#ff8800")]
    colour: String,
    /// What is done there.
    #[schema(value_type = enum_schemas::WorksiteKind)]
    kind: WorksiteKind,
    /// Whose days are its days: a zone of the IANA database.
    #[schema(example = "Europe/Berlin")]
    time_zone: String,
    /// How large it is, in square metres; null without a boundary.
    #[schema(example = 41_250)]
    area_m2: Option<i64>,
    /// Whom to ask about the technology there.
    #[schema(example = "Ada Lovelace, +49 30 1234")]
    technical_contact: Option<String>,
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

/// A worksite: its attributes.
#[derive(Serialize, ToSchema)]
#[schema(as = WorksiteAttributes)]
pub struct Worksite {
    #[serde(flatten)]
    listed: ListedWorksite,
    /// Where it is: a GeoJSON polygon, its outline counterclockwise and its holes clockwise, or
    /// `{"type": "Circle", "center": [lon, lat], "radius_m": …}`.
    #[schema(value_type = Option<Object>)]
    boundary: Option<Value>,
}

pub const DEFINITION: ResourceDefinition = ResourceDefinition {
    kind: "worksites",
    path: Some("/api/v2/worksites"),
    attributes: &[
        "name",
        "colour",
        "kind",
        "time_zone",
        "area_m2",
        "technical_contact",
        "archived",
        "archived_at",
        "created_at",
        "updated_at",
        "boundary",
    ],
    relationships: &[
        Relationship { name: "project", kind: "projects", arity: Arity::One, field: Some("project_id") },
        Relationship { name: "machines", kind: "machines", arity: Arity::Many, field: None },
    ],
};

impl Resource for Worksite {
    const NAME: &'static str = "Worksite";
    const DEFINITION: &'static ResourceDefinition = &DEFINITION;
    const INCLUDES: &'static [&'static str] = &["project", "machines"];
    const INCLUDED_TYPES: &'static [&'static ResourceDefinition] =
        &[&projects::DEFINITION, &machine_documents::DEFINITION];

    type Listed = ListedWorksite;
}

impl Writable for Worksite {
    type New = create::NewWorksite;
    type Changed = change::ChangedWorksite;
}

/// Which worksites are asked for.
#[derive(Clone)]
pub struct WorksiteListFilter {
    /// By what they are.
    pub sites: WorksiteFilter,
    /// By what lies inside of them.
    pub contains: Option<Position>,
}

impl Collection for Worksite {
    type Filter = WorksiteListFilter;

    const FILTERS: &'static [Filter] = &[
        Filter {
            name: "filter[archived]",
            description: "The archived ones instead of the active ones",
            schema: bool::schema,
        },
        Filter {
            name: "filter[kind]",
            description: "Only of this kind",
            schema: enum_schemas::WorksiteKind::schema,
        },
        Filter {
            name: "filter[project]",
            description: "Only of the project of this id",
            schema: String::schema,
        },
        Filter {
            name: "filter[contains]",
            description: "Only active ones whose boundary of now holds this position, `lon,lat` in degrees; of more than a \
                          thousand, the smallest",
            schema: String::schema,
        },
        Filter {
            name: "filter[q]",
            description: "Part of a name, whatever its case and accents",
            schema: String::schema,
        },
    ];

    const SORTS: &'static [(&'static str, SortKey)] =
        &[("name", SortKey::Name), ("created_at", SortKey::CreatedAt), ("updated_at", SortKey::UpdatedAt)];

    fn filter(query: &mut Query) -> Result<WorksiteListFilter, Error> {
        let sites = WorksiteFilter {
            archived: query.flag("filter[archived]")?,
            kind: query.one("filter[kind]", WorksiteKind::parse)?,
            project: query.id("filter[project]")?.map(ProjectId),
            q: query.search("filter[q]")?,
            around: None,
        };
        Ok(WorksiteListFilter { sites, contains: query.one("filter[contains]", Position::parse)? })
    }
}
