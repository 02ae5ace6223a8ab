//! Seeds a brand with a complete, dated registry in one transaction.
//!
//! It is meant for simulated data. The use cases of each resource apply changes from now or from a time that a user gives, whereas here
//! every link has a start and often an end.

use std::collections::HashMap;

use domain::{
    AntennaZones, AuditFilter, BaseStationId, Day, DeviceId, MachineFilter, MachineId, Name, NewMachine,
    NewPerson, NewProject, NewTesterDevice, NewWorksite, PageRequest, PartName, Percent, PersonId, ProjectId,
    Serial, SortedMap, TagAssignmentId, TagId, TagRole, Timestamp, WorksiteId,
};
use serde_json::{Value, json};
use store::{Brand, NewTagTest, NewVisit, Scope, Tx};

use crate::registry::tag_assignments::refuse_overlap;
use crate::{Actor, App, BaseStationChange, Editor, Error, ErrorKind};

const BEGUN: &str = "simulation.begun";
const COMPLETED: &str = "simulation.completed";
const LOADED: &str = "simulation.loaded";

/// A registry that is being seeded. If it is dropped without [`RegistrySeed::commit`], nothing is stored.
pub struct RegistrySeed<'a> {
    app: &'a App,
    tx: Tx,
    scope: Scope,
    brand: Brand,
}

/// Start and end of a link; no end if it is still open.
pub type ValidPeriod = (Timestamp, Option<Timestamp>);

/// A base station to seed.
#[derive(Clone, Debug)]
pub struct SeedStation {
    pub serial: Serial,
    /// The firmware version.
    pub firmware: String,
    pub cameras: Vec<PartName>,
    pub zones: Vec<AntennaZones>,
}

/// A visit to seed.
#[derive(Clone, Debug)]
pub struct SeedVisit {
    pub person: PersonId,
    /// The assignment of the tag that the visitor wore.
    pub assignment: TagAssignmentId,
    /// The tester device at which they checked in and out.
    pub gate: DeviceId,
    pub worksite: WorksiteId,
    /// The company that they came for.
    pub company: Option<Name>,
    pub expected_until: Option<Timestamp>,
    /// Times of check-in and check-out.
    pub times: ValidPeriod,
}

/// A tag test to seed.
#[derive(Clone, Copy, Debug)]
pub struct SeedTagTest {
    /// The tester device that made the test.
    pub gate: DeviceId,
    pub tag: TagId,
    pub tested_at: Timestamp,
    pub passed: bool,
    pub battery: Percent,
}

/// The progress of a brand's simulation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SimulationState {
    /// The brand has no simulation.
    None,
    /// The registry is complete, but not all facts are.
    Started {
        /// The plan that was recorded at the start.
        plan: Value,
        /// The first day of what is loaded if that is the newest part.
        complete_from: Option<Day>,
    },
    Complete,
}

#[macros::boxed]
impl App {
    /// Starts to seed the registry of a brand, which is created if no brand has the name. Fails if the brand has machines.
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
            let detail = format!("The brand {} already has machines; simulate into a new brand.", brand.name);
            return Err(Error::new(ErrorKind::Conflict, "brand_in_use", detail));
        }
        Ok(RegistrySeed { app: self, tx, scope, brand })
    }

    /// Finds the progress of a brand's simulation in its audit log.
    pub async fn find_simulation_state(&self, brand: &Brand) -> Result<SimulationState, Error> {
        let scope = self.scope_of(brand.id);
        let mut tx = self.store.read().await?;
        if last_details(&mut tx, &scope, COMPLETED).await?.is_some() {
            return Ok(SimulationState::Complete);
        }
        let Some(plan) = last_details(&mut tx, &scope, BEGUN).await? else {
            return Ok(SimulationState::None);
        };
        Ok(SimulationState::Started { plan, complete_from: loaded_from(&mut tx, &scope).await? })
    }

    /// Seeds the tag tests of the part of a simulation that begins with this day, and records that the part is loaded. Parts are loaded
    /// from the newest on, and one that is loaded already is left as it is.
    pub async fn complete_simulated_part(
        &self,
        brand: &Brand,
        first_day: Day,
        tests: &[SeedTagTest],
    ) -> Result<(), Error> {
        let scope = self.scope_of(brand.id);
        let mut tx = self.store.begin().await?;
        tx.lock_and_bump_registry(&scope).await?;
        if loaded_from(&mut tx, &scope).await?.is_some_and(|loaded| loaded <= first_day) {
            return Ok(());
        }
        self.add_tag_tests(&mut tx, &scope, tests).await?;
        let entry = Editor::by_command_line(&scope).audit_entry().on(LOADED, "brand", brand.id.0);
        let details = json!({ "complete_from": first_day });
        self.record_audit(&mut tx, entry.with_details(details)).await?;
        tx.commit().await?;
        Ok(())
    }

    /// Records that the simulation is complete.
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

    /// Counts the tag tests of tester devices.
    pub async fn count_tests_at(&self, brand: &Brand, gates: &[DeviceId]) -> Result<i64, Error> {
        let scope = self.scope_of(brand.id);
        Ok(self.store.read().await?.tag_tests(&scope).count_on(gates).await?)
    }

    /// Seeds tag tests, which must be in order of time. The last test of each tag sets its battery level.
    pub async fn seed_tag_tests(&self, brand: &Brand, tests: &[SeedTagTest]) -> Result<(), Error> {
        let scope = self.scope_of(brand.id);
        let mut tx = self.store.begin().await?;
        tx.lock_and_bump_registry(&scope).await?;
        self.add_tag_tests(&mut tx, &scope, tests).await?;
        tx.commit().await?;
        Ok(())
    }

    async fn add_tag_tests(&self, tx: &mut Tx, scope: &Scope, tests: &[SeedTagTest]) -> Result<(), Error> {
        let new = |test: &SeedTagTest| NewTagTest {
            tag: test.tag,
            device: Some(test.gate),
            base_station: None,
            tested_at: test.tested_at,
            passed: test.passed,
            battery: Some(test.battery),
        };
        let new: Vec<NewTagTest> = tests.iter().map(new).collect();
        tx.tag_tests(scope).add_many(&new, self.clock.now()).await?;
        let batteries: SortedMap<TagId, (Percent, Timestamp)> =
            tests.iter().map(|test| (test.tag, (test.battery, test.tested_at))).collect();
        tx.tags(scope).record_batteries(&batteries).await?;
        let last_seen = tests.iter().map(|test| (test.tag, test.tested_at)).collect();
        tx.tags(scope).record_last_seen(&last_seen).await?;
        Ok(())
    }

    pub async fn count_incursions(&self, brand: &Brand) -> Result<i64, Error> {
        let scope = self.scope_of(brand.id);
        Ok(self.store.read().await?.incursions(&scope).count().await?)
    }

    /// Finds the tags of a brand by their serials, in the order of the serials.
    pub async fn tags_by_serial(&self, brand: &Brand, serials: &[Serial]) -> Result<Vec<TagId>, Error> {
        let scope = self.scope_of(brand.id);
        let keys: Vec<String> = serials.iter().map(Serial::key).collect();
        let found = self.store.read().await?.fact_links(&scope).tags(&keys).await?;
        let found: HashMap<_, _> = found.into_iter().map(|tag| (tag.key, tag.id)).collect();
        let id = |key: &String| found.get(key).copied().ok_or_else(|| Error::not_found("tag"));
        keys.iter().map(id).collect()
    }
}

#[macros::boxed]
impl RegistrySeed<'_> {
    pub async fn add_project(&mut self, new: &NewProject) -> Result<ProjectId, Error> {
        let editor = Editor::by_command_line(&self.scope);
        Ok(self.app.add_project(&mut self.tx, &editor, new).await?.id)
    }

    /// Adds a worksite whose first term starts at `from`.
    pub async fn add_worksite(&mut self, new: &NewWorksite, from: Timestamp) -> Result<WorksiteId, Error> {
        let editor = Editor::by_command_line(&self.scope);
        self.app.add_worksite(&mut self.tx, &editor, new, from).await
    }

    /// Adds a tester device at the gate of a worksite.
    pub async fn add_gate(&mut self, name: Name, site: WorksiteId) -> Result<DeviceId, Error> {
        let new = NewTesterDevice { name, serial: None, worksite: Some(site) };
        let editor = Editor::by_command_line(&self.scope);
        Ok(self.app.add_tester_device(&mut self.tx, &editor, &new).await?.id)
    }

    /// Adds a machine that is at a worksite since `from`.
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

    /// Adds a base station whose zones apply since `from`.
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

    /// Adds an installation of a station on a machine. The installations of a station or machine must be added in order of time.
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

    pub async fn add_person(&mut self, new: &NewPerson) -> Result<PersonId, Error> {
        let editor = Editor::by_command_line(&self.scope);
        Ok(self.app.add_person(&mut self.tx, &editor, new).await?.id)
    }

    pub async fn add_tag(&mut self, serial: &Serial, role: TagRole) -> Result<TagId, Error> {
        let editor = Editor::by_command_line(&self.scope);
        self.app.add_tag(&mut self.tx, &editor, (serial, role)).await
    }

    /// Adds an assignment of a tag that was handed out at a gate. The assignments of a tag must be added in order of time.
    pub async fn add_assignment(
        &mut self,
        gate: DeviceId,
        tag: TagId,
        person: PersonId,
        (from, to): ValidPeriod,
    ) -> Result<TagAssignmentId, Error> {
        let (now, editor) = (self.app.clock.now(), Editor::by_command_line(&self.scope));
        refuse_overlap(&mut self.tx, &self.scope, (tag, None), (from, to), "assigned_at").await?;
        let mut rows = self.tx.tag_assignments(&self.scope);
        let made = rows.add(tag, person, &tester_actor(gate), (from, now)).await?;
        if let Some(to) = to {
            rows.end(made.id, &tester_actor(gate), (to.max(from), now)).await?;
        }
        let entry = editor.audit_entry().on("tag_assignment.created", "tag_assignment", made.id.0);
        let details = json!({ "tag_id": tag, "person_id": person, "assigned_at": from, "ended_at": to });
        self.app.record_audit(&mut self.tx, entry.with_details(details)).await?;
        Ok(made.id)
    }

    /// Adds a visit with the tag of an assignment.
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

    /// Commits the registry, together with the plan that is needed to resume the simulation after an interruption.
    pub async fn commit(mut self, plan: Value) -> Result<Brand, Error> {
        let entry = Editor::by_command_line(&self.scope).audit_entry().on(BEGUN, "brand", self.brand.id.0);
        self.app.record_audit(&mut self.tx, entry.with_details(plan)).await?;
        self.tx.commit().await?;
        Ok(self.brand)
    }
}

/// Returns the details of the last entry of the audit log about an action.
async fn last_details(tx: &mut Tx, scope: &Scope, action: &str) -> Result<Option<Value>, Error> {
    // By what it is about, which is indexed: every start asks.
    let filter = AuditFilter {
        action: Some(action.to_owned()),
        target_kind: Some("brand".to_owned()),
        target_id: Some(scope.brand().0),
        ..AuditFilter::default()
    };
    let page = PageRequest { limit: 1, after: None };
    let page = tx.audits_of(scope).page(&filter, (None, None), &page).await?;
    let details = page.rows.first().map(|row| serde_json::from_str(&row.row.details));
    details.transpose().map_err(Error::internal)
}

/// Returns the first day of the part of a simulation that is loaded.
async fn loaded_from(tx: &mut Tx, scope: &Scope) -> Result<Option<Day>, Error> {
    let details = last_details(tx, scope, LOADED).await?;
    let day = details.as_ref().and_then(|details| details["complete_from"].as_str()).map(Day::parse);
    day.transpose().map_err(|invalid| Error::internal(invalid.message.into_owned()))
}

/// The tester device as the actor of an assignment or visit.
fn tester_actor(gate: DeviceId) -> domain::Actor {
    let (kind, id) = Actor::Tester(gate).kind_and_id();
    domain::Actor { kind, id, name: None }
}
