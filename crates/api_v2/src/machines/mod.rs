//! Machines, as documents of worksites show them; there is no /api/v2/machines.

use app::Error;
use domain::Timestamp;
use serde::Serialize;
use store::{MachineFilter, SortKey};
use utoipa::{PartialSchema, ToSchema};
use web::{Query, enum_schemas};

use crate::json_api::{
    Arity, Collection, Filter, Identifier, Linkage, Relationship, Resource, ResourceDefinition,
    ResourceObject,
};

/// A machine: its attributes.
#[derive(Serialize, ToSchema)]
#[schema(as = MachineAttributes)]
pub struct Machine {
    /// What it is called.
    #[schema(example = "Excavator 4")]
    name: String,
    /// What sort of machine it is.
    #[schema(value_type = enum_schemas::MachineKind)]
    kind: domain::MachineKind,
    /// What its maker calls it; unique in the brand, whatever its case.
    #[schema(example = "CAT0320EJ4711")]
    serial_number: Option<String>,
    /// Who made it.
    #[schema(example = "Caterpillar")]
    manufacturer: Option<String>,
    /// Which of their models it is.
    #[schema(example = "320")]
    model: Option<String>,
    /// When it was built.
    #[schema(example = 2019)]
    year: Option<i64>,
    /// What stands on its plate.
    #[schema(example = "B-KC 320")]
    number_plate: Option<String>,
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
            description: "Only of this kind",
            schema: enum_schemas::MachineKind::schema,
        },
        Filter {
            name: "filter[q]",
            description: "Part of a name, whatever its case and accents",
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

/// A machine as a document shows it.
pub fn object(machine: store::Machine) -> ResourceObject {
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
