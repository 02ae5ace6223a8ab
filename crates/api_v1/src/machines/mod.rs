//! /api/v1/machines

mod archive;
mod change;
mod create;
mod get;
mod list;
mod restore;

use domain::{Invalid, Timestamp, Year};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use web::{EdgeState, enum_schemas};

pub use create::NewMachineFields;

pub fn routes() -> OpenApiRouter<EdgeState> {
    OpenApiRouter::new()
        .routes(routes!(list::list_machines, create::create_machine))
        .routes(routes!(get::get_machine, change::change_machine))
        .routes(routes!(archive::archive_machine))
        .routes(routes!(restore::restore_machine))
}

/// A machine.
#[derive(Serialize, ToSchema)]
pub struct Machine {
    /// Its id.
    #[schema(example = 4)]
    id: i64,
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
    /// The site it is assigned to now.
    #[schema(example = 2)]
    worksite_id: Option<i64>,
    /// The same, with its name.
    worksite: Option<WorksiteReference>,
    /// The base station that is installed on it now.
    base_station: Option<BaseStationReference>,
    /// When it was added.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    created_at: Timestamp,
    /// When it was last changed.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    updated_at: Timestamp,
    /// When it was archived.
    #[schema(value_type = Option<String>, format = DateTime)]
    archived_at: Option<Timestamp>,
}

/// A worksite, by name.
#[derive(Serialize, ToSchema)]
pub struct WorksiteReference {
    /// Its id.
    #[schema(example = 2)]
    pub id: i64,
    /// What it is called.
    #[schema(example = "North bridge, east bank")]
    pub name: String,
}

/// A base station, by serial.
#[derive(Serialize, ToSchema)]
pub struct BaseStationReference {
    /// Its id.
    #[schema(example = 11)]
    pub id: i64,
    /// What stands on it.
    #[schema(example = "BS-2041")]
    pub serial: String,
}

fn shape(machine: store::Machine) -> Machine {
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
        worksite: machine.worksite.map(|(id, name)| WorksiteReference { id: id.0, name }),
        base_station: machine.base_station.map(|(id, serial)| BaseStationReference { id: id.0, serial }),
        created_at: machine.created_at,
        updated_at: machine.updated_at,
        archived_at: machine.archived_at,
    }
}

/// Reads the year a machine was built in.
fn year(value: &Value) -> Result<Year, Invalid> {
    match value.as_i64() {
        Some(number) => Year::new(number),
        None => Err(Invalid::new("wrong_type", "must be a whole number")),
    }
}
