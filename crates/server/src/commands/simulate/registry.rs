//! Lays down what a world consists of.

use app::{App, FoundedStation, FoundedVisit};
use domain::{AssignmentId, Name};
use geography::Boundary;
use simulator::{Registry, World};
use store::{Brand, NewMachine, NewPerson, NewProject, NewWorksite};

use crate::commands::Failure;

use super::begun::Begun;

/// Registers everything, in one transaction.
pub async fn lay_down(app: &App, name: &Name, world: &World) -> Result<(Brand, Begun), Failure> {
    let (registry, from) = (world.registry(), world.plan().from());
    let mut founding = app.found(name).await?;
    let mut projects = Vec::new();
    for project in &registry.projects {
        let new =
            NewProject { name: project.name.clone(), code: Some(project.code.clone()), archived_at: None };
        projects.push(founding.project(&new).await?);
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
            boundary: Some(app::kept(&boundary)),
            project: Some(projects[site.project]),
            archived_at: None,
        };
        let id = founding.worksite(&new, from).await?;
        let gate = Name::parse(&format!("Gate of {}", site.name))
            .map_err(|invalid| Failure(format!("the gate of {}: {invalid}", site.name)))?;
        gates.push(founding.gate(gate, id).await?);
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
        machines.push(founding.machine(&new, sites[machine.site], from).await?);
    }
    let mut stations = Vec::new();
    for station in &registry.stations {
        let new = FoundedStation {
            serial: station.serial.clone(),
            firmware: station.firmware.clone(),
            cameras: station.cameras.clone(),
            zones: station.zones.clone(),
        };
        stations.push(founding.station(new, from).await?);
    }
    for one in &registry.installations {
        founding.installation(stations[one.station], machines[one.machine], (one.from, one.to)).await?;
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
        people.push(founding.person(&new).await?);
    }
    let mut tags = Vec::new();
    for tag in &registry.tags {
        tags.push(founding.tag(&tag.serial, tag.role).await?);
    }
    let mut of_visit: Vec<Option<AssignmentId>> = vec![None; registry.visits.len()];
    for one in &registry.assignments {
        // Staff get theirs in the office, which is at the first site.
        let gate = gates[one.visit.map_or(0, |visit| registry.visits[visit].site)];
        let (tag, person) = (tags[one.tag], people[one.person]);
        let made = founding.assignment(gate, tag, person, (one.from, one.to)).await?;
        if let Some(visit) = one.visit {
            of_visit[visit] = Some(made);
        }
    }
    for (visit, assignment) in registry.visits.iter().zip(of_visit) {
        let Some(assignment) = assignment else { continue };
        let new = FoundedVisit {
            person: people[visit.person],
            assignment,
            gate: gates[visit.site],
            worksite: sites[visit.site],
            company: visit.company.clone(),
            expected_until: visit.expected_until,
            times: (visit.checked_in, visit.checked_out),
        };
        founding.visit(&new).await?;
    }
    let begun = Begun { plan: *world.plan(), gates };
    let brand = founding.finish(begun.to_json()).await?;
    Ok((brand, begun))
}

/// What there is, in numbers.
pub fn numbers(registry: &Registry) -> String {
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
