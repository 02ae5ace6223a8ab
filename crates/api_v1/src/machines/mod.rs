//! /api/v1/machines: machines and their worksites.

mod archive;
mod change;
mod create;
mod get;
mod list;
mod restore;

use domain::Timestamp;
use web::{OperationRouter, enum_schemas, routes};

use crate::references::NamedReference;

pub fn routes() -> OperationRouter {
    OperationRouter::new()
        .routes(routes!(list::list_machines, create::create_machine))
        .routes(routes!(get::get_machine, change::change_machine))
        .routes(routes!(archive::archive_machine))
        .routes(routes!(restore::restore_machine))
}

/// A machine.
#[web::answer(record)]
pub struct Machine {
    /// Identifier of the machine.
    #[schema(example = 4)]
    id: i64,
    /// Name of the machine.
    #[schema(example = "Excavator 4")]
    name: String,
    /// Kind of machine.
    #[schema(value_type = enum_schemas::MachineKind)]
    kind: domain::MachineKind,
    /// Serial number given by the manufacturer. It is unique in the brand, ignoring case.
    #[schema(example = "CAT0320EJ4711")]
    serial_number: Option<String>,
    /// Name of the manufacturer.
    #[schema(example = "Caterpillar")]
    manufacturer: Option<String>,
    /// Model name.
    #[schema(example = "320")]
    model: Option<String>,
    /// Year of manufacture.
    #[schema(example = 2019)]
    year: Option<i64>,
    /// Number plate.
    #[schema(example = "B-KC 320")]
    number_plate: Option<String>,
    /// Identifier of the worksite that the machine is assigned to now.
    #[schema(example = 2)]
    worksite_id: Option<i64>,
    /// Worksite that the machine is assigned to now.
    worksite: Option<NamedReference>,
    /// Base station that is installed on the machine now.
    base_station: Option<BaseStationReference>,
    /// Time at which the machine was added, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    created_at: Timestamp,
    /// Time at which the machine was last changed, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    updated_at: Timestamp,
    /// Time at which the machine was archived, RFC 3339 in UTC; null while it is active.
    #[schema(value_type = Option<String>, format = DateTime)]
    archived_at: Option<Timestamp>,
}

/// A reference to a base station.
#[web::answer]
pub struct BaseStationReference {
    /// Identifier of the base station.
    #[schema(example = 11)]
    pub id: i64,
    /// Serial number printed on the base station.
    #[schema(example = "BS-2041")]
    pub serial: String,
}

fn shape(machine: domain::Machine) -> Machine {
    Machine {
        id: machine.id.0,
        name: machine.name,
        kind: machine.kind,
        serial_number: machine.serial_number,
        manufacturer: machine.manufacturer,
        model: machine.model,
        year: machine.year,
        number_plate: machine.number_plate,
        worksite_id: machine.worksite.as_ref().map(|(id, _)| id.0),
        worksite: machine.worksite.map(|(id, name)| NamedReference { id: id.0, name }),
        base_station: machine.base_station.map(|(id, serial)| BaseStationReference { id: id.0, serial }),
        created_at: machine.created_at,
        updated_at: machine.updated_at,
        archived_at: machine.archived_at,
    }
}
