//! Builds the resource objects of machines and their included resources.

use app::{App, Caller, Error};
use domain::access::ReadRegistry;

use super::Machine;
use crate::json_api::{Identifier, Include, Included, Linkage, ResourceObject};
use crate::{base_stations, related, worksites};

/// Builds the resource object of a machine.
pub fn object(machine: domain::Machine) -> ResourceObject {
    let station = base_station(&machine);
    let worksite = machine.worksite.map(|(id, _)| Identifier::new(worksites::DEFINITION.kind, id.0));
    let attributes = Machine {
        name: machine.name,
        kind: machine.kind,
        serial_number: machine.serial_number,
        manufacturer: machine.manufacturer,
        model: machine.model,
        year: machine.year,
        number_plate: machine.number_plate,
        archived: machine.archived_at.is_some(),
        archived_at: machine.archived_at,
        created_at: machine.created_at,
        updated_at: machine.updated_at,
    };
    let mut object = ResourceObject::with_all_attributes(machine.id.0, &attributes);
    object.link("worksite", Linkage::One(worksite));
    object.link("base_station", station);
    object
}

/// Returns the linkage of the base station that is installed on a machine.
fn base_station(machine: &domain::Machine) -> Linkage {
    let station = machine.base_station.as_ref();
    Linkage::One(station.map(|(id, _)| Identifier::new(base_stations::DEFINITION.kind, id.0)))
}

/// Builds the resource objects of machines and adds what `include` asks for.
pub async fn objects(
    app: &App,
    caller: &Caller<ReadRegistry>,
    machines: Vec<domain::Machine>,
    include: &Include,
    included: &mut Included,
) -> Result<Vec<ResourceObject>, Error> {
    if include.includes("worksite") {
        let sites = machines.iter().filter_map(|machine| machine.worksite.as_ref()).map(|(id, _)| *id);
        related::include_worksites(app, caller, sites.collect(), included).await?;
    }
    if include.includes("base_station") {
        let stations = machines.iter().filter_map(|machine| machine.base_station.as_ref()).map(|(id, _)| *id);
        related::include_base_stations(app, caller, stations.collect(), included).await?;
    }
    Ok(machines.into_iter().map(object).collect())
}
