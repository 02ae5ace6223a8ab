//! Laying down a brand with a past: everything there is, and what was where when, in one transaction.
//!
//! For a world that was made up. What people and devices enter goes through the use cases of each resource, which count from now
//! or from a moment that a person names; here every link has a beginning and often an end.

use std::collections::{BTreeMap, HashMap};

use domain::{
    AntennaZones, AssignmentId, BaseStationId, DeviceId, MachineId, Name, PartName, Percent, PersonId,
    ProjectId, Serial, TagId, TagRole, Timestamp, WorksiteId,
};
use serde_json::{Value, json};
use store::{
    AuditFilter, Brand, MachineFilter, NewMachine, NewPerson, NewProject, NewTagTest, NewTesterDevice,
    NewVisit, NewWorksite, PageRequest, Scope, Tx,
};

use crate::registry::tag_assignments::overlap;
use crate::{Actor, App, BaseStationChange, Error, Hand, Kind};

const BEGUN: &str = "simulation.begun";
const COMPLETED: &str = "simulation.completed";

/// A registry that is being laid down. Dropped without [`Founding::finish`], nothing of it is kept.
pub struct Founding<'a> {
    app: &'a App,
    tx: Tx,
    scope: Scope,
    brand: Brand,
}

/// Since when, and until when; none if it still is.
pub type Held = (Timestamp, Option<Timestamp>);

/// A base station that is laid down.
#[derive(Clone, Debug)]
pub struct FoundedStation {
    /// What stands on it.
    pub serial: Serial,
    /// What runs on it.
    pub firmware: String,
    /// What its cameras are called.
    pub cameras: Vec<PartName>,
    /// How far its zones reach.
    pub zones: Vec<AntennaZones>,
}

/// A stay that is laid down.
#[derive(Clone, Debug)]
pub struct FoundedVisit {
    /// Who.
    pub person: PersonId,
    /// The assignment of the tag they got.
    pub assignment: AssignmentId,
    /// Where they checked in and out.
    pub gate: DeviceId,
    /// Where they went.
    pub worksite: WorksiteId,
    /// For whom they came.
    pub company: Option<Name>,
    /// Until when they meant to stay.
    pub expected_until: Option<Timestamp>,
    /// When they came, and when they left.
    pub times: Held,
}

/// A test at a gate that is laid down.
#[derive(Clone, Copy, Debug)]
pub struct FoundedTest {
    /// Where.
    pub gate: DeviceId,
    /// The tag.
    pub tag: TagId,
    /// When.
    pub tested_at: Timestamp,
    /// Whether it works.
    pub passed: bool,
    /// What its battery held.
    pub battery: Percent,
}

/// How far the simulation of a brand has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Simulation {
    /// There is none.
    None,
    /// Its registry is there; not all that happened is. With what was said when it was begun.
    Begun(Value),
    /// All of it is there.
    Complete,
}

impl App {
    /// Begins to lay down the registry of a brand, which is made if there is none of that name. Refused if it has a fleet.
    pub async fn found(&self, name: &Name) -> Result<Founding<'_>, Error> {
        let mut tx = self.store.begin().await?;
        let brand = match self.brand_by_id_or_name(&mut tx, name).await? {
            Some(brand) => brand,
            None => self.add_brand(&mut tx, name).await?,
        };
        let scope = self.scope_of(brand.id);
        tx.raise_registry_version(&scope).await?;
        let archived = MachineFilter { archived: true, ..MachineFilter::default() };
        let machines = tx.machines(&scope).count(&MachineFilter::default()).await?;
        if machines + tx.machines(&scope).count(&archived).await? > 0 {
            let detail = format!("The brand {} has machines already; simulate into a new one.", brand.name);
            return Err(Error::new(Kind::Conflict, "brand_in_use", detail));
        }
        Ok(Founding { app: self, tx, scope, brand })
    }

    /// How far the simulation of a brand has come, by what stands in its audit log.
    pub async fn simulation_of(&self, brand: &Brand) -> Result<Simulation, Error> {
        let scope = self.scope_of(brand.id);
        let mut tx = self.store.read().await?;
        let mut last = async |action: &str| {
            let filter = AuditFilter { action: Some(action.to_owned()), ..AuditFilter::default() };
            let page = tx.audits_of(&scope).page(&filter, &PageRequest { limit: 1, after: None }).await?;
            Ok::<_, Error>(page.rows.into_iter().next())
        };
        if last(COMPLETED).await?.is_some() {
            return Ok(Simulation::Complete);
        }
        match last(BEGUN).await? {
            Some(row) => serde_json::from_str(&row.details).map(Simulation::Begun).map_err(Error::internal),
            None => Ok(Simulation::None),
        }
    }

    /// Remembers that everything of a simulation is there.
    pub async fn complete_simulation(&self, brand: &Brand) -> Result<(), Error> {
        let scope = self.scope_of(brand.id);
        let mut tx = self.store.begin().await?;
        self.record(&mut tx, Hand::of_command_line(&scope).act().on(COMPLETED, "brand", brand.id.0)).await?;
        tx.commit().await?;
        Ok(())
    }

    /// How many tests were made at gates.
    pub async fn count_tests_at(&self, brand: &Brand, gates: &[DeviceId]) -> Result<i64, Error> {
        let scope = self.scope_of(brand.id);
        Ok(self.store.read().await?.tag_tests(&scope).count_on(gates).await?)
    }

    /// Lays down tests at gates, in the order of their times. The last of each tag tells of its battery.
    pub async fn found_tests(&self, brand: &Brand, tests: &[FoundedTest]) -> Result<(), Error> {
        let (scope, now) = (self.scope_of(brand.id), self.clock.now());
        let mut tx = self.store.begin().await?;
        tx.raise_registry_version(&scope).await?;
        let new = |test: &FoundedTest| NewTagTest {
            tag: test.tag,
            device: Some(test.gate),
            base_station: None,
            tested_at: test.tested_at,
            passed: test.passed,
            battery: Some(test.battery),
        };
        let new: Vec<NewTagTest> = tests.iter().map(new).collect();
        tx.tag_tests(&scope).add_many(&new, now).await?;
        let batteries: BTreeMap<TagId, (Percent, Timestamp)> =
            tests.iter().map(|test| (test.tag, (test.battery, test.tested_at))).collect();
        tx.tags(&scope).batteries(&batteries).await?;
        let heard = tests.iter().map(|test| (test.tag, test.tested_at)).collect();
        tx.tags(&scope).seen(&heard).await?;
        tx.commit().await?;
        Ok(())
    }

    /// How many incursions a brand has.
    pub async fn count_incursions(&self, brand: &Brand) -> Result<i64, Error> {
        let scope = self.scope_of(brand.id);
        Ok(self.store.read().await?.incursions(&scope).count().await?)
    }

    /// The tags of a brand by their serials, in the order in which they are asked for.
    pub async fn tags_by_serial(&self, brand: &Brand, serials: &[Serial]) -> Result<Vec<TagId>, Error> {
        let scope = self.scope_of(brand.id);
        let keys: Vec<String> = serials.iter().map(Serial::key).collect();
        let found = self.store.read().await?.fact_links(&scope).tags(&keys).await?;
        let found: HashMap<_, _> = found.into_iter().map(|tag| (tag.key, tag.id)).collect();
        let id = |key: &String| found.get(key).copied().ok_or_else(|| Error::not_found("tag"));
        keys.iter().map(id).collect()
    }
}

impl Founding<'_> {
    /// Adds a project.
    pub async fn project(&mut self, new: &NewProject) -> Result<ProjectId, Error> {
        let hand = Hand::of_command_line(&self.scope);
        Ok(self.app.add_project(&mut self.tx, &hand, new).await?.id)
    }

    /// Adds a worksite that has been so since a moment.
    pub async fn worksite(&mut self, new: &NewWorksite, from: Timestamp) -> Result<WorksiteId, Error> {
        let hand = Hand::of_command_line(&self.scope);
        self.app.add_worksite(&mut self.tx, &hand, new, from).await
    }

    /// Adds a tester device at the gate of a site.
    pub async fn gate(&mut self, name: Name, site: WorksiteId) -> Result<DeviceId, Error> {
        let new = NewTesterDevice { name, serial: None, worksite: Some(site) };
        let hand = Hand::of_command_line(&self.scope);
        Ok(self.app.add_tester_device(&mut self.tx, &hand, &new).await?.id)
    }

    /// Adds a machine that has been at a site since a moment.
    pub async fn machine(
        &mut self,
        new: &NewMachine,
        site: WorksiteId,
        from: Timestamp,
    ) -> Result<MachineId, Error> {
        let hand = Hand::of_command_line(&self.scope);
        let id = self.app.add_machine(&mut self.tx, &hand, new).await?;
        self.tx.machine_assignments(&self.scope).open(id, site, from, self.app.clock.now()).await?;
        let after = json!([{ "worksite_id": site, "from": from, "to": null }]);
        let act = hand.act().on("machine.assigned", "machine", id.0);
        self.app.record(&mut self.tx, act.with(json!({ "before": [], "after": after }))).await?;
        Ok(id)
    }

    /// Adds a base station that has been so since a moment.
    pub async fn station(&mut self, new: FoundedStation, from: Timestamp) -> Result<BaseStationId, Error> {
        let hand = Hand::of_command_line(&self.scope);
        let rest =
            BaseStationChange { cameras: domain::Change::Set(new.cameras), ..BaseStationChange::default() };
        let made = self.app.add_base_station(&mut self.tx, &hand, new.serial, rest).await?;
        let id = made.station.id;
        self.app.zones_reported(&mut self.tx, &self.scope, id, &new.zones, from).await?;
        self.tx.base_stations(&self.scope).seen(id, from, Some(&new.firmware), None).await?;
        Ok(id)
    }

    /// Says that a station was on a machine. Those of a station or a machine come in the order of their times.
    pub async fn installation(
        &mut self,
        station: BaseStationId,
        machine: MachineId,
        (from, to): Held,
    ) -> Result<(), Error> {
        let now = self.app.clock.now();
        let mut rows = self.tx.station_installations(&self.scope);
        rows.open(station, machine, from, now).await?;
        if let Some(to) = to
            && let Some(last) = rows.last(station, None).await?
        {
            rows.end(last.id, Some(to), now).await?;
        }
        let after = json!([{ "base_station_id": station, "machine_id": machine, "from": from, "to": to }]);
        let act = Hand::of_command_line(&self.scope).act();
        let act = act.on("base_station.installed", "base_station", station.0);
        self.app.record(&mut self.tx, act.with(json!({ "before": [], "after": after }))).await
    }

    /// Adds a person.
    pub async fn person(&mut self, new: &NewPerson) -> Result<PersonId, Error> {
        let hand = Hand::of_command_line(&self.scope);
        Ok(self.app.add_person(&mut self.tx, &hand, new).await?.id)
    }

    /// Adds a tag.
    pub async fn tag(&mut self, serial: &Serial, role: TagRole) -> Result<TagId, Error> {
        let hand = Hand::of_command_line(&self.scope);
        self.app.add_tag(&mut self.tx, &hand, (serial, role)).await
    }

    /// Says that a person wore a tag that was handed out at a gate. Those of a tag come in the order of their times.
    pub async fn assignment(
        &mut self,
        gate: DeviceId,
        tag: TagId,
        person: PersonId,
        (from, to): Held,
    ) -> Result<AssignmentId, Error> {
        let (now, hand) = (self.app.clock.now(), Hand::of_command_line(&self.scope));
        let mut rows = self.tx.tag_assignments(&self.scope);
        if let Some(clash) = rows.clash(tag, None, (from, to)).await? {
            return Err(overlap("assigned_at", &clash));
        }
        let made = rows.add(tag, person, &at_gate(gate), (from, now)).await?;
        if let Some(to) = to {
            rows.end(made.id, &at_gate(gate), (to, now)).await?;
        }
        let act = hand.act().on("tag_assignment.created", "tag_assignment", made.id.0);
        let details = json!({ "tag_id": tag, "person_id": person, "assigned_at": from, "ended_at": to });
        self.app.record(&mut self.tx, act.with(details)).await?;
        Ok(made.id)
    }

    /// Says that someone came for a visit, with the tag of an assignment.
    pub async fn visit(&mut self, visit: &FoundedVisit) -> Result<(), Error> {
        let (now, hand) = (self.app.clock.now(), Hand::of_command_line(&self.scope));
        let new = NewVisit {
            person: visit.person,
            assignment: visit.assignment,
            worksite: Some(visit.worksite),
            company: visit.company.as_ref().map(|company| company.as_str().to_owned()),
            notes: None,
            expected_until: visit.expected_until,
        };
        let (from, to) = visit.times;
        let mut rows = self.tx.visitor_sessions(&self.scope);
        let made = rows.add(&new, &at_gate(visit.gate), from).await?;
        if let Some(to) = to {
            rows.end(made.id, &at_gate(visit.gate), (to, now)).await?;
        }
        let act = hand.act().on("visitor_session.started", "visitor_session", made.id.0);
        let details = json!({
            "person_id": visit.person,
            "tag_assignment_id": visit.assignment,
            "worksite_id": visit.worksite,
            "checked_in_at": from,
            "checked_out_at": to,
        });
        let personal = json!({ "company": made.company, "notes": null });
        self.app.record(&mut self.tx, act.with(details).with_personal(&personal)).await
    }

    /// Keeps all of it, with what it takes to complete the simulation after an interruption.
    pub async fn finish(mut self, plan: Value) -> Result<Brand, Error> {
        let act = Hand::of_command_line(&self.scope).act().on(BEGUN, "brand", self.brand.id.0);
        self.app.record(&mut self.tx, act.with(plan)).await?;
        self.tx.commit().await?;
        Ok(self.brand)
    }
}

/// Who handed a tag out or took it back.
fn at_gate(gate: DeviceId) -> store::Actor {
    let (kind, id) = Actor::Tester(gate).kind_and_id();
    store::Actor { kind: kind.to_owned(), id }
}
