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
use domain::{ProjectId, RegistryRows, SortKey, Timestamp, WorksiteFilter, WorksiteKind};
use geography::Position;
use serde_json::Value;
use web::{OperationRouter, PartialSchema, Query, enum_schemas, routes};

use crate::json_api::{
    Arity, Collection, Filter, IncludedType, Relationship, Resource, ResourceDefinition, Writable, several,
};
use crate::machines::Machine;
use crate::projects::Project;

pub use documents::{listed_object, object, object_with_included, objects};

pub fn routes() -> OperationRouter {
    OperationRouter::new()
        .routes(routes!(list::list_worksites, create::create_worksite))
        .routes(routes!(get::get_worksite, change::change_worksite, delete::delete_worksite))
        .routes(routes!(project::get_project_of_worksite))
        .routes(routes!(machines::list_machines_at_worksite))
        .merge(relationships::routes())
}

/// Attributes of a worksite in a list. The boundary is left out because it may be long.
#[web::answer(sparse)]
#[schema(as = ListedWorksiteAttributes)]
pub struct ListedWorksite {
    /// Name of the worksite.
    #[schema(example = "North bridge, east bank")]
    name: String,
    /// Colour in which the worksite is drawn, as `#rrggbb`.
    #[schema(example = "#ff8800")]
    colour: String,
    /// Kind of work done at the worksite.
    #[schema(value_type = enum_schemas::WorksiteKind)]
    kind: WorksiteKind,
    /// IANA time zone of the worksite, which decides when its days begin.
    #[schema(example = "Europe/Berlin")]
    time_zone: String,
    /// Area in square metres; null without a boundary.
    #[schema(example = 41_250)]
    area_m2: Option<i64>,
    /// Contact for technical questions.
    #[schema(example = "Ada Lovelace, +49 30 1234")]
    technical_contact: Option<String>,
    /// Whether the worksite is archived.
    archived: bool,
    /// Time at which the worksite was archived, RFC 3339 in UTC; null while it is active.
    #[schema(value_type = Option<String>, format = DateTime)]
    archived_at: Option<Timestamp>,
    /// Time at which the worksite was created, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    created_at: Timestamp,
    /// Time of the last change, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    updated_at: Timestamp,
}

/// Attributes of a worksite.
#[web::answer(sparse)]
#[schema(as = WorksiteAttributes)]
pub struct Worksite {
    #[serde(flatten)]
    listed: ListedWorksite,
    /// Boundary of the worksite: a GeoJSON polygon with a counterclockwise outline and clockwise holes, or
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
        Relationship {
            name: "project",
            kind: "projects",
            other_kind: None,
            related: "Project",
            arity: Arity::One,
            field: Some("project_id"),
            is_derived: false,
            has_links: true,
        },
        Relationship {
            name: "machines",
            kind: "machines",
            other_kind: None,
            related: "Machine",
            arity: Arity::Many,
            field: None,
            is_derived: false,
            has_links: true,
        },
    ],
};

impl Resource for Worksite {
    const NAME: &'static str = "Worksite";
    const DEFINITION: &'static ResourceDefinition = &DEFINITION;
    const INCLUDES: &'static [&'static str] = &["project", "machines"];
    const INCLUDED_TYPES: &'static [IncludedType] =
        &[IncludedType::of::<Project>(), IncludedType::of::<Machine>()];

    type Listed = ListedWorksite;
    const NOT_LISTED: &'static [&'static str] = &["boundary"];
}

impl Writable for Worksite {
    type New = create::NewWorksite;
    type Changed = change::ChangedWorksite;
}

/// The filters of a list of worksites.
#[derive(Clone)]
pub struct WorksiteListFilter {
    /// Conditions that the database checks.
    pub sites: WorksiteFilter,
    /// A position that the boundary contains.
    pub contains: Option<Position>,
}

impl Collection for Worksite {
    type Filter = WorksiteListFilter;

    const FILTERS: &'static [Filter] = &[
        Filter::BY_ID,
        Filter {
            name: "filter[archived]",
            description: "With `true`, returns archived worksites instead of active ones.",
            schema: bool::schema,
        },
        Filter {
            name: "filter[kind]",
            description: "Returns worksites of these kinds only, separated by commas.",
            schema: several::<enum_schemas::WorksiteKind>,
        },
        Filter {
            name: "filter[project]",
            description: "Returns worksites of the projects with these ids only, separated by commas; at most 100.",
            schema: several::<String>,
        },
        Filter {
            name: "filter[contains]",
            description: "Returns active worksites whose current boundary contains this position, `lon,lat` in degrees. If more \
                          than a thousand match, the smallest are returned.",
            schema: String::schema,
        },
        Filter {
            name: "filter[q]",
            description: "Returns worksites whose name contains this text, regardless of case and accents.",
            schema: String::schema,
        },
    ];

    const SORTS: &'static [(&'static str, SortKey)] =
        &[("name", SortKey::Name), ("created_at", SortKey::CreatedAt), ("updated_at", SortKey::UpdatedAt)];

    const HAS_VERSIONS: bool = true;

    fn filter(query: &mut Query) -> Result<WorksiteListFilter, Error> {
        let sites = WorksiteFilter {
            archived: query.flag("filter[archived]")?,
            kinds: query.comma_list("filter[kind]", WorksiteKind::ALL.len(), WorksiteKind::parse)?,
            projects: query
                .comma_ids("filter[project]")?
                .unwrap_or_default()
                .into_iter()
                .map(ProjectId)
                .collect(),
            q: query.search("filter[q]")?,
            around: None,
            rows: RegistryRows { ids: query.comma_ids("filter[id]")?, changed: None },
        };
        Ok(WorksiteListFilter { sites, contains: query.one("filter[contains]", Position::parse)? })
    }
}
