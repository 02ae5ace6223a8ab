//! /api/v2/machines

mod change;
mod create;
mod documents;
mod get;
mod list;
pub mod tracks;

use app::Error;
use domain::{
    Invalid, MachineFilter, MachineKind, ProjectId, RegistryRows, SortKey, Timestamp, WorksiteId, Year,
};
use serde_json::Value;
use web::{OperationRouter, PartialSchema, Query, enum_schemas, routes};

use crate::base_stations::BaseStation;
use crate::json_api::{
    Collection, Filter, IncludedType, Relationship, Resource, ResourceDefinition, Writable, several,
};
use crate::worksites::Worksite;

pub use documents::{object, objects};

pub fn routes() -> OperationRouter {
    OperationRouter::new()
        .routes(routes!(list::list_machines, create::create_machine))
        .routes(routes!(get::get_machine, change::change_machine))
}

/// Attributes of a machine.
#[web::answer(sparse)]
#[schema(as = MachineAttributes)]
pub struct Machine {
    /// Name of the machine.
    #[schema(example = "Excavator 4")]
    name: String,
    /// Kind of machine.
    #[schema(value_type = enum_schemas::MachineKind)]
    kind: MachineKind,
    /// Manufacturer's serial number, unique in the brand regardless of case.
    #[schema(example = "CAT0320EJ4711")]
    serial_number: Option<String>,
    /// Manufacturer.
    #[schema(example = "Caterpillar")]
    manufacturer: Option<String>,
    /// Manufacturer's model designation.
    #[schema(example = "320")]
    model: Option<String>,
    /// Year of manufacture.
    #[schema(example = 2019)]
    year: Option<i64>,
    /// Number plate.
    #[schema(example = "B-KC 320")]
    number_plate: Option<String>,
    /// Whether the machine is archived.
    archived: bool,
    /// Time at which the machine was archived, RFC 3339 in UTC; null while it is active.
    #[schema(value_type = Option<String>, format = DateTime)]
    archived_at: Option<Timestamp>,
    /// Time at which the machine was added, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    created_at: Timestamp,
    /// Time of the last change, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    updated_at: Timestamp,
}

pub const DEFINITION: ResourceDefinition = ResourceDefinition {
    kind: "machines",
    path: Some("/api/v2/machines"),
    attributes: &[
        "name",
        "kind",
        "serial_number",
        "manufacturer",
        "model",
        "year",
        "number_plate",
        "archived",
        "archived_at",
        "created_at",
        "updated_at",
    ],
    relationships: &[
        Relationship::to_one("worksite", "worksites", "Worksite").written_as("worksite_id"),
        Relationship::to_one("base_station", "base_stations", "BaseStation"),
    ],
};

impl Resource for Machine {
    const NAME: &'static str = "Machine";
    const DEFINITION: &'static ResourceDefinition = &DEFINITION;
    const INCLUDES: &'static [&'static str] = &["worksite", "base_station"];
    const INCLUDED_TYPES: &'static [IncludedType] =
        &[IncludedType::of::<Worksite>(), IncludedType::of::<BaseStation>()];

    type Listed = Self;
}

impl Writable for Machine {
    type New = create::NewMachine;
    type Changed = change::ChangedMachine;
}

impl Collection for Machine {
    type Filter = MachineFilter;

    const FILTERS: &'static [Filter] = &[
        Filter::BY_ID,
        Filter {
            name: "filter[archived]",
            description: "With `true`, returns archived machines instead of active ones.",
            schema: bool::schema,
        },
        Filter {
            name: "filter[kind]",
            description: "Returns machines of these kinds only, separated by commas.",
            schema: several::<enum_schemas::MachineKind>,
        },
        Filter {
            name: "filter[worksite]",
            description: "Returns machines that are at the worksites with these ids only, separated by commas; at most 100.",
            schema: several::<String>,
        },
        Filter {
            name: "filter[project]",
            description: "Returns machines at worksites of the projects with these ids only, separated by commas; at most 100.",
            schema: several::<String>,
        },
        Filter {
            name: "filter[q]",
            description: "Returns machines whose name contains this text, regardless of case and accents.",
            schema: String::schema,
        },
    ];

    const SORTS: &'static [(&'static str, SortKey)] =
        &[("name", SortKey::Name), ("created_at", SortKey::CreatedAt), ("updated_at", SortKey::UpdatedAt)];

    const HAS_VERSIONS: bool = true;

    fn filter(query: &mut Query) -> Result<MachineFilter, Error> {
        let (known, parse) = (MachineKind::ALL.len(), MachineKind::parse);
        let (sites, projects) = (query.comma_ids("filter[worksite]")?, query.comma_ids("filter[project]")?);
        Ok(MachineFilter {
            archived: query.flag("filter[archived]")?,
            kinds: query.comma_list("filter[kind]", known, parse)?,
            worksites: sites.unwrap_or_default().into_iter().map(WorksiteId).collect(),
            projects: projects.unwrap_or_default().into_iter().map(ProjectId).collect(),
            q: query.search("filter[q]")?,
            rows: RegistryRows { ids: query.comma_ids("filter[id]")?, changed: None },
        })
    }
}

/// Reads a year of manufacture.
fn year(value: &Value) -> Result<Year, Invalid> {
    match value.as_i64() {
        Some(number) => Year::new(number),
        None => Err(Invalid::new("wrong_type", "must be a whole number")),
    }
}
