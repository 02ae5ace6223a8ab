//! The machine resource of JSON:API documents. Machines have no path of their own in V2; they are read through worksites.

use app::Error;
use domain::{MachineFilter, SortKey, Timestamp};
use serde::Serialize;
use utoipa::{PartialSchema, ToSchema};
use web::{Query, enum_schemas};

use crate::json_api::{
    Arity, Collection, Filter, Identifier, Linkage, Relationship, Resource, ResourceDefinition,
    ResourceObject,
};

/// Attributes of a machine.
#[derive(Serialize, ToSchema)]
#[schema(as = MachineAttributes)]
pub struct Machine {
    /// Name of the machine.
    #[schema(example = "Excavator 4")]
    name: String,
    /// Kind of machine.
    #[schema(value_type = enum_schemas::MachineKind)]
    kind: domain::MachineKind,
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
    path: None,
    attributes: &[
        "name",
        "kind",
        "serial_number",
        "manufacturer",
        "model",
        "year",
        "number_plate",
        "archived_at",
        "created_at",
        "updated_at",
    ],
    relationships: &[
        Relationship { name: "worksite", kind: "worksites", arity: Arity::One, field: None },
        Relationship { name: "base_station", kind: "base_stations", arity: Arity::One, field: None },
    ],
};

impl Resource for Machine {
    const NAME: &'static str = "Machine";
    const DEFINITION: &'static ResourceDefinition = &DEFINITION;
    const INCLUDES: &'static [&'static str] = &[];
    const INCLUDED_TYPES: &'static [&'static ResourceDefinition] = &[];

    type Listed = Self;
}

impl Collection for Machine {
    type Filter = MachineFilter;

    const FILTERS: &'static [Filter] = &[
        Filter {
            name: "filter[kind]",
            description: "Returns machines of this kind only.",
            schema: enum_schemas::MachineKind::schema,
        },
        Filter {
            name: "filter[q]",
            description: "Returns machines whose name contains this text, regardless of case and accents.",
            schema: String::schema,
        },
    ];

    const SORTS: &'static [(&'static str, SortKey)] =
        &[("name", SortKey::Name), ("created_at", SortKey::CreatedAt), ("updated_at", SortKey::UpdatedAt)];

    fn filter(query: &mut Query) -> Result<MachineFilter, Error> {
        let kind = query.one("filter[kind]", domain::MachineKind::parse)?;
        Ok(MachineFilter { kind, q: query.search("filter[q]")?, ..MachineFilter::default() })
    }
}

/// Builds the resource object of a machine.
pub fn object(machine: domain::Machine) -> ResourceObject {
    let attributes = Machine {
        name: machine.name,
        kind: machine.kind,
        serial_number: machine.serial_number,
        manufacturer: machine.manufacturer,
        model: machine.model,
        year: machine.year,
        number_plate: machine.number_plate,
        archived_at: machine.archived_at,
        created_at: machine.created_at,
        updated_at: machine.updated_at,
    };
    let mut object = ResourceObject::with_all_attributes(machine.id.0, &attributes);
    let worksite = machine.worksite.map(|(id, _)| Identifier::new("worksites", id.0));
    let station = machine.base_station.map(|(id, _)| Identifier::new("base_stations", id.0));
    object.link("worksite", Linkage::One(worksite));
    object.link("base_station", Linkage::One(station));
    object
}
