//! Seeds the registry of a simulated world.

use app::{App, SeedStation, SeedVisit};
use domain::{Name, NewMachine, NewPerson, NewProject, NewWorksite, TagAssignmentId};
use geography::Boundary;
use simulator::{Registry, World};
use store::Brand;

use crate::commands::Failure;

use super::checkpoint::{Order, SimulationCheckpoint};

/// Registers everything in one transaction.
pub async fn seed_registry(
    app: &App,
    name: &Name,
    world: &World,
    order: Order,
) -> Result<(Brand, SimulationCheckpoint), Failure> {
    let (registry, from) = (world.registry(), world.plan().start());
    let mut seed = app.seed_registry(name).await?;
    let mut projects = Vec::new();
    for project in &registry.projects {
        let new =
            NewProject { name: project.name.clone(), code: Some(project.code.clone()), archived_at: None };
        projects.push(seed.add_project(&new).await?);
    }
    let (mut sites, mut gates) = (Vec::new(), Vec::new());
    for site in &registry.sites {
        let boundary = Boundary::from_geojson(&site.boundary)
            .map_err(|invalid| Failure(format!("the boundary of {}: {invalid}", site.name)))?;
        let new = NewWorksite {
            name: site.name.clone(),
            colour: site.colour.clone(),
            kind: site.kind,
            technical_contact: None,
            time_zone: site.time_zone.clone(),
            boundary: Some(app::stored_boundary(&boundary)),
            project: Some(projects[site.project]),
            archived_at: None,
        };
        let id = seed.add_worksite(&new, from).await?;
        let gate = Name::parse(&format!("Gate of {}", site.name))
            .map_err(|invalid| Failure(format!("the gate of {}: {invalid}", site.name)))?;
        gates.push(seed.add_gate(gate, id).await?);
        sites.push(id);
    }
    let mut machines = Vec::new();
    for machine in &registry.machines {
        let new = NewMachine {
            name: machine.name.clone(),
            kind: machine.kind,
            serial_number: Some(machine.serial_number.clone()),
            manufacturer: Some(machine.manufacturer.clone()),
            model: Some(machine.model.clone()),
            year: Some(machine.year),
            number_plate: None,
            archived_at: None,
        };
        machines.push(seed.add_machine(&new, sites[machine.site], from).await?);
    }
    let mut stations = Vec::new();
    for station in &registry.stations {
        let new = SeedStation {
            serial: station.serial.clone(),
            firmware: station.firmware.clone(),
            cameras: station.cameras.clone(),
            zones: station.zones.clone(),
        };
        stations.push(seed.add_station(new, from).await?);
    }
    for one in &registry.installations {
        seed.add_installation(stations[one.station], machines[one.machine], (one.from, one.to)).await?;
    }
    let mut people = Vec::new();
    for person in &registry.people {
        let new = NewPerson {
            kind: person.kind,
            name: person.name.clone(),
            employee_id: person.employee_id.clone(),
            email: None,
            company: person.company.clone(),
        };
        people.push(seed.add_person(&new).await?);
    }
    let mut tags = Vec::new();
    for tag in &registry.tags {
        tags.push(seed.add_tag(&tag.serial, tag.role).await?);
    }
    let mut assignment_by_visit: Vec<Option<TagAssignmentId>> = vec![None; registry.visits.len()];
    for one in &registry.assignments {
        // Staff get their tags in the office, which is at the first worksite.
        let gate = gates[one.visit.map_or(0, |visit| registry.visits[visit].site)];
        let (tag, person) = (tags[one.tag], people[one.person]);
        let made = seed.add_assignment(gate, tag, person, (one.from, one.to)).await?;
        if let Some(visit) = one.visit {
            assignment_by_visit[visit] = Some(made);
        }
    }
    for (visit, assignment) in registry.visits.iter().zip(assignment_by_visit) {
        let Some(assignment) = assignment else { continue };
        let new = SeedVisit {
            person: people[visit.person],
            assignment,
            gate: gates[visit.site],
            worksite: sites[visit.site],
            company: visit.company.clone(),
            expected_until: visit.expected_until,
            times: (visit.checked_in, visit.checked_out),
        };
        seed.add_visit(&new).await?;
    }
    let begun = SimulationCheckpoint { plan: *world.plan(), gates, order };
    let brand = seed.commit(begun.to_json()).await?;
    Ok((brand, begun))
}

/// Summarizes the registry in numbers.
pub fn summarize(registry: &Registry) -> String {
    format!(
        "{} projects, {} worksites, {} machines, {} base stations, {} people, {} tags, {} visits",
        registry.projects.len(),
        registry.sites.len(),
        registry.machines.len(),
        registry.stations.len(),
        registry.people.len(),
        registry.tags.len(),
        registry.visits.len(),
    )
}
