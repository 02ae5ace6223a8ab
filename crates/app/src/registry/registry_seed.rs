//! Laying down a brand with a past: everything there is, and what was where when, in one transaction.
//!
//! For a world that was made up. What people and devices enter goes through the use cases of each resource, which count from now
//! or from a moment that a person names; here every link has a beginning and often an end.

use std::collections::{BTreeMap, HashMap};

use domain::{
    AntennaZones, BaseStationId, DeviceId, MachineId, Name, PartName, Percent, PersonId, ProjectId, Serial,
    TagAssignmentId, TagId, TagRole, Timestamp, WorksiteId,
};
use serde_json::{Value, json};
use store::{
    AuditFilter, Brand, MachineFilter, NewMachine, NewPerson, NewProject, NewTagTest, NewTesterDevice,
    NewVisit, NewWorksite, PageRequest, Scope, Tx,
};

use crate::registry::tag_assignments::overlap_error;
use crate::{Actor, App, BaseStationChange, Editor, Error, ErrorKind};

const BEGUN: &str = "simulation.begun";
const COMPLETED: &str = "simulation.completed";

/// A registry that is being laid down. Dropped without [`Founding::finish`], nothing of it is kept.
pub struct RegistrySeed<'a> {
    app: &'a App,
    tx: Tx,
    scope: Scope,
    brand: Brand,
}

/// Since when, and until when; none if it still is.
pub type ValidPeriod = (Timestamp, Option<Timestamp>);

/// A base station that is laid down.
#[derive(Clone, Debug)]
pub struct SeedStation {
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
pub struct SeedVisit {
    /// Who.
    pub person: PersonId,
    /// The assignment of the tag they got.
    pub assignment: TagAssignmentId,
    /// Where they checked in and out.
    pub gate: DeviceId,
    /// Where they went.
    pub worksite: WorksiteId,
    /// For whom they came.
    pub company: Option<Name>,
    /// Until when they meant to stay.
    pub expected_until: Option<Timestamp>,
    /// When they came, and when they left.
    pub times: ValidPeriod,
}

/// A test at a gate that is laid down.
#[derive(Clone, Copy, Debug)]
pub struct SeedTagTest {
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
pub enum SimulationState {
    /// There is none.
    None,
    /// Its registry is there; not all that happened is. With what was said when it was begun.
    Started(Value),
    /// All of it is there.
    Complete,
}

impl App {
    /// Begins to lay down the registry of a brand, which is made if there is none of that name. Refused if it has a fleet.
    pub async fn seed_registry(&self, name: &Name) -> Result<RegistrySeed<'_>, Error> {
        let mut tx = self.store.begin().await?;
        let brand = match self.brand_by_id_or_name(&mut tx, name).await? {
            Some(brand) => brand,
            None => self.add_brand(&mut tx, name).await?,
        };
        let scope = self.scope_of(brand.id);
        tx.lock_and_bump_registry(&scope).await?;
        let archived = MachineFilter { archived: true, ..MachineFilter::default() };
        let machines = tx.machines(&scope).count(&MachineFilter::default()).await?;
        if machines + tx.machines(&scope).count(&archived).await? > 0 {
            let detail = format!("The brand {} has machines already; simulate into a new one.", brand.name);
            return Err(Error::new(ErrorKind::Conflict, "brand_in_use", detail));
        }
        Ok(RegistrySeed { app: self, tx, scope, brand })
    }

    /// How far the simulation of a brand has come, by what stands in its audit log.
    pub async fn find_simulation_state(&self, brand: &Brand) -> Result<SimulationState, Error> {
        let scope = self.scope_of(brand.id);
        let mut tx = self.store.read().await?;
        let mut last = async |action: &str| {
            let filter = AuditFilter { action: Some(action.to_owned()), ..AuditFilter::default() };
            let page = tx.audits_of(&scope).page(&filter, &PageRequest { limit: 1, after: None }).await?;
            Ok::<_, Error>(page.rows.into_iter().next())
        };
        if last(COMPLETED).await?.is_some() {
            return Ok(SimulationState::Complete);
        }
        match last(BEGUN).await? {
            Some(row) => {
                serde_json::from_str(&row.details).map(SimulationState::Started).map_err(Error::internal)
            }
            None => Ok(SimulationState::None),
        }
    }

    /// Remembers that everything of a simulation is there.
    pub async fn complete_simulation(&self, brand: &Brand) -> Result<(), Error> {
        let scope = self.scope_of(brand.id);
        let mut tx = self.store.begin().await?;
        self.record_audit(
            &mut tx,
            Editor::by_command_line(&scope).audit_entry().on(COMPLETED, "brand", brand.id.0),
        )
        .await?;
        tx.commit().await?;
        Ok(())
    }

    /// How many tests were made at gates.
    pub async fn count_tests_at(&self, brand: &Brand, gates: &[DeviceId]) -> Result<i64, Error> {
        let scope = self.scope_of(brand.id);
        Ok(self.store.read().await?.tag_tests(&scope).count_on(gates).await?)
    }

    /// Lays down tests at gates, in the order of their times. The last of each tag tells of its battery.
    pub async fn seed_tag_tests(&self, brand: &Brand, tests: &[SeedTagTest]) -> Result<(), Error> {
        let (scope, now) = (self.scope_of(brand.id), self.clock.now());
        let mut tx = self.store.begin().await?;
        tx.lock_and_bump_registry(&scope).await?;
        let new = |test: &SeedTagTest| NewTagTest {
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
        tx.tags(&scope).record_batteries(&batteries).await?;
        let last_seen = tests.iter().map(|test| (test.tag, test.tested_at)).collect();
        tx.tags(&scope).record_last_seen(&last_seen).await?;
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

impl RegistrySeed<'_> {
    /// Adds a project.
    pub async fn add_project(&mut self, new: &NewProject) -> Result<ProjectId, Error> {
        let editor = Editor::by_command_line(&self.scope);
        Ok(self.app.add_project(&mut self.tx, &editor, new).await?.id)
    }

    /// Adds a worksite that has been so since a moment.
    pub async fn add_worksite(&mut self, new: &NewWorksite, from: Timestamp) -> Result<WorksiteId, Error> {
        let editor = Editor::by_command_line(&self.scope);
        self.app.add_worksite(&mut self.tx, &editor, new, from).await
    }

    /// Adds a tester device at the gate of a site.
    pub async fn add_gate(&mut self, name: Name, site: WorksiteId) -> Result<DeviceId, Error> {
        let new = NewTesterDevice { name, serial: None, worksite: Some(site) };
        let editor = Editor::by_command_line(&self.scope);
        Ok(self.app.add_tester_device(&mut self.tx, &editor, &new).await?.id)
    }

    /// Adds a machine that has been at a site since a moment.
    pub async fn add_machine(
        &mut self,
        new: &NewMachine,
        site: WorksiteId,
        from: Timestamp,
    ) -> Result<MachineId, Error> {
        let editor = Editor::by_command_line(&self.scope);
        let id = self.app.add_machine(&mut self.tx, &editor, new).await?;
        self.tx.machine_assignments(&self.scope).open(id, site, from, self.app.clock.now()).await?;
        let after = json!([{ "worksite_id": site, "from": from, "to": null }]);
        let entry = editor.audit_entry().on("machine.assigned", "machine", id.0);
        self.app
            .record_audit(&mut self.tx, entry.with_details(json!({ "before": [], "after": after })))
            .await?;
        Ok(id)
    }

    /// Adds a base station that has been so since a moment.
    pub async fn add_station(&mut self, new: SeedStation, from: Timestamp) -> Result<BaseStationId, Error> {
        let editor = Editor::by_command_line(&self.scope);
        let rest =
            BaseStationChange { cameras: domain::Change::Set(new.cameras), ..BaseStationChange::default() };
        let made = self.app.add_base_station(&mut self.tx, &editor, new.serial, rest).await?;
        let id = made.station.id;
        self.app.apply_reported_zones(&mut self.tx, &self.scope, id, &new.zones, from).await?;
        self.tx.base_stations(&self.scope).record_contact(id, from, Some(&new.firmware), None).await?;
        Ok(id)
    }

    /// Says that a station was on a machine. Those of a station or a machine come in the order of their times.
    pub async fn add_installation(
        &mut self,
        station: BaseStationId,
        machine: MachineId,
        (from, to): ValidPeriod,
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
        let entry = Editor::by_command_line(&self.scope).audit_entry();
        let entry = entry.on("base_station.installed", "base_station", station.0);
        self.app.record_audit(&mut self.tx, entry.with_details(json!({ "before": [], "after": after }))).await
    }

    /// Adds a person.
    pub async fn add_person(&mut self, new: &NewPerson) -> Result<PersonId, Error> {
        let editor = Editor::by_command_line(&self.scope);
        Ok(self.app.add_person(&mut self.tx, &editor, new).await?.id)
    }

    /// Adds a tag.
    pub async fn add_tag(&mut self, serial: &Serial, role: TagRole) -> Result<TagId, Error> {
        let editor = Editor::by_command_line(&self.scope);
        self.app.add_tag(&mut self.tx, &editor, (serial, role)).await
    }

    /// Says that a person wore a tag that was handed out at a gate. Those of a tag come in the order of their times.
    pub async fn add_assignment(
        &mut self,
        gate: DeviceId,
        tag: TagId,
        person: PersonId,
        (from, to): ValidPeriod,
    ) -> Result<TagAssignmentId, Error> {
        let (now, editor) = (self.app.clock.now(), Editor::by_command_line(&self.scope));
        let mut rows = self.tx.tag_assignments(&self.scope);
        if let Some(clash) = rows.find_overlap(tag, None, (from, to)).await? {
            return Err(overlap_error("assigned_at", &clash));
        }
        let made = rows.add(tag, person, &tester_actor(gate), (from, now)).await?;
        if let Some(to) = to {
            rows.end(made.id, &tester_actor(gate), (to, now)).await?;
        }
        let entry = editor.audit_entry().on("tag_assignment.created", "tag_assignment", made.id.0);
        let details = json!({ "tag_id": tag, "person_id": person, "assigned_at": from, "ended_at": to });
        self.app.record_audit(&mut self.tx, entry.with_details(details)).await?;
        Ok(made.id)
    }

    /// Says that someone came for a visit, with the tag of an assignment.
    pub async fn add_visit(&mut self, visit: &SeedVisit) -> Result<(), Error> {
        let (now, editor) = (self.app.clock.now(), Editor::by_command_line(&self.scope));
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
        let made = rows.add(&new, &tester_actor(visit.gate), from).await?;
        if let Some(to) = to {
            rows.end(made.id, &tester_actor(visit.gate), (to, now)).await?;
        }
        let entry = editor.audit_entry().on("visitor_session.started", "visitor_session", made.id.0);
        let details = json!({
            "person_id": visit.person,
            "tag_assignment_id": visit.assignment,
            "worksite_id": visit.worksite,
            "checked_in_at": from,
            "checked_out_at": to,
        });
        let personal = json!({ "company": made.company, "notes": null });
        self.app.record_audit(&mut self.tx, entry.with_details(details).with_personal(&personal)).await
    }

    /// Keeps all of it, with what it takes to complete the simulation after an interruption.
    pub async fn commit(mut self, plan: Value) -> Result<Brand, Error> {
        let entry = Editor::by_command_line(&self.scope).audit_entry().on(BEGUN, "brand", self.brand.id.0);
        self.app.record_audit(&mut self.tx, entry.with_details(plan)).await?;
        self.tx.commit().await?;
        Ok(self.brand)
    }
}

/// Who handed a tag out or took it back.
fn tester_actor(gate: DeviceId) -> store::Actor {
    let (kind, id) = Actor::Tester(gate).kind_and_id();
    store::Actor { kind: kind.to_owned(), id }
}
