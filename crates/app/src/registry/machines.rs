//! Machines of the registry.

use domain::access::{ReadRegistry, WriteRegistry};
use domain::{
    Change, Invalid, ListRequest, Listing, Machine, MachineFilter, MachineId, MachineKind, Name, NewMachine,
    Permission, Slice, Sorting, StoredResponse, Timestamp, Window, WorksiteId, Year,
};
use serde_json::{Value, json};
use store::{Projects, Tx};

use crate::platform::audit::AuditEntry;
use crate::platform::duplicates::map_duplicate;
use crate::platform::jobs::LinkChange;
use crate::registry::listing::DepartingListQuery;
use crate::registry::machine_assignments::{machine_archived, refuse_unassigning};
use crate::{App, Caller, Editor, Error, Idempotent, IfMatch};

#[derive(Clone, Debug)]
pub struct MachineCreation {
    pub name: Name,
    pub kind: MachineKind,
    /// The manufacturer's serial number.
    pub serial_number: Option<Name>,
    pub manufacturer: Option<Name>,
    pub model: Option<Name>,
    /// Year of manufacture.
    pub year: Option<Year>,
    pub number_plate: Option<Name>,
    /// The worksite that the machine is assigned to.
    pub worksite: Option<WorksiteId>,
    /// Time from which the machine is at the worksite; `None` means now.
    pub effective_from: Option<Timestamp>,
}

impl From<MachineCreation> for NewMachine {
    fn from(creation: MachineCreation) -> Self {
        Self {
            name: creation.name,
            kind: creation.kind,
            serial_number: creation.serial_number,
            manufacturer: creation.manufacturer,
            model: creation.model,
            year: creation.year,
            number_plate: creation.number_plate,
            archived_at: None,
        }
    }
}

#[derive(Clone, Debug, Default)]
pub struct MachineChange {
    pub name: Change<Name>,
    pub kind: Change<MachineKind>,
    /// The manufacturer's serial number.
    pub serial_number: Change<Option<Name>>,
    pub manufacturer: Change<Option<Name>>,
    pub model: Change<Option<Name>>,
    /// Year of manufacture.
    pub year: Change<Option<Year>>,
    pub number_plate: Change<Option<Name>>,
    /// The worksite that the machine is assigned to, or `None` for no worksite.
    pub worksite: Change<Option<WorksiteId>>,
    /// Time from which the machine is at the worksite; `None` means now.
    pub effective_from: Option<Timestamp>,
}

#[macros::boxed]
impl App {
    /// Lists a page of the machines that the caller sees, in an order or as they changed, with the total if requested.
    pub async fn list_machines(
        &self,
        caller: &Caller<ReadRegistry>,
        filter: &MachineFilter,
        request: &ListRequest,
    ) -> Result<Listing<Machine>, Error> {
        let scope = caller.scope();
        let mut tx = self.store.read().await?;
        let query = DepartingListQuery::new(&mut tx, scope, request, "machines").await?;
        let filter = MachineFilter { rows: query.rows(&filter.rows), ..filter.clone() };
        let slice = match query.window() {
            Some(window) => tx.machines(scope).slice(&filter, query.sorting(), window).await?,
            None => Slice::empty(),
        };
        let total = match request.include_total {
            true => Some(tx.machines(scope).count(&filter).await?),
            false => None,
        };
        let departures = match query.departures(&slice) {
            Some(request) => Some(tx.machines(scope).departures(&request).await?),
            None => None,
        };
        Ok(query.listing(slice, total, departures))
    }

    /// Lists a slice of the machines that the caller sees, in any order and from either end.
    pub async fn slice_machines<P: Permission>(
        &self,
        caller: &Caller<P>,
        filter: &MachineFilter,
        sorting: Sorting,
        window: &Window,
    ) -> Result<Slice<Machine>, Error> {
        Ok(self.store.read().await?.machines(caller.scope()).slice(filter, sorting, window).await?)
    }

    /// Lists the active machines at these worksites that the caller sees, by name, up to `max`.
    pub async fn machines_at_worksites<P: Permission>(
        &self,
        caller: &Caller<P>,
        worksites: &[WorksiteId],
        max: i64,
    ) -> Result<Vec<Machine>, Error> {
        Ok(self.store.read().await?.machines(caller.scope()).at_worksites(worksites, max).await?)
    }

    /// Finds those of these machines that the caller sees, archived or not.
    pub async fn find_machines_by_id(
        &self,
        caller: &Caller<ReadRegistry>,
        ids: &[MachineId],
    ) -> Result<Vec<Machine>, Error> {
        Ok(self.store.read().await?.machines(caller.scope()).among(ids).await?)
    }

    /// Finds a machine that the caller sees.
    pub async fn find_machine(&self, caller: &Caller<ReadRegistry>, id: MachineId) -> Result<Machine, Error> {
        let found = self.store.read().await?.machines(caller.scope()).find(id).await?;
        found.ok_or_else(|| Error::not_found("machine"))
    }

    /// Refuses a machine that the caller does not see, before the request body is read. Returns when it was created, which the body may
    /// repeat.
    pub async fn check_machine(
        &self,
        caller: &Caller<WriteRegistry>,
        id: MachineId,
    ) -> Result<Timestamp, Error> {
        let found = self.store.read().await?.machines(caller.scope()).find(id).await?;
        found.map(|machine| machine.created_at).ok_or_else(|| Error::not_found("machine"))
    }

    /// Adds a machine, at a worksite if one is given. Restricted callers must give one of theirs.
    pub async fn create_machine(
        &self,
        caller: &Caller<WriteRegistry>,
        creation: MachineCreation,
        idempotent: Idempotent<'_, Machine>,
    ) -> Result<StoredResponse, Error> {
        let (worksite, effective_from) = (creation.worksite, creation.effective_from);
        let new = NewMachine::from(creation);
        self.run_idempotent(idempotent, async |tx| {
            if worksite.is_none() && *caller.scope().projects() != Projects::All {
                let text = "is required: you see only machines at worksites of your projects";
                return Err(Error::invalid_field("worksite_id", Invalid::new("required", text)));
            }
            tx.lock_and_bump_registry(caller.scope()).await?;
            let id = self.add_machine(tx, &caller.editor(), &new).await?;
            if let Some(site) = worksite {
                self.check_assignable(tx, caller, site).await?;
                self.move_machine(tx, caller, id, Some(site), effective_from).await?;
            }
            Ok(tx.machines(caller.scope()).get(id).await?)
        })
        .await
    }

    /// Adds a machine without a worksite, in a transaction that has already locked the registry.
    pub(crate) async fn add_machine(
        &self,
        tx: &mut Tx,
        editor: &Editor<'_>,
        new: &NewMachine,
    ) -> Result<MachineId, Error> {
        let now = self.clock.now();
        check_year(new.year, now)?;
        let id = map_duplicate_serial(tx.machines(editor.scope).add(new, now).await)?;
        let entry = editor.audit_entry().on("machine.created", "machine", id.0);
        self.record_audit(tx, entry.with_details(json!({ "after": audit_fields(new) }))).await?;
        Ok(id)
    }

    /// Changes a machine and its worksite.
    pub async fn change_machine(
        &self,
        caller: &Caller<WriteRegistry>,
        id: MachineId,
        if_match: &IfMatch,
        change: MachineChange,
    ) -> Result<Machine, Error> {
        self.update_machine(caller, id, if_match, change, Change::Keep).await
    }

    /// Archives a machine: its assignment and installation end. Archiving twice is fine and changes nothing.
    pub async fn archive_machine(
        &self,
        caller: &Caller<WriteRegistry>,
        id: MachineId,
        if_match: &IfMatch,
    ) -> Result<Machine, Error> {
        self.update_machine(caller, id, if_match, MachineChange::default(), Change::Set(true)).await
    }

    /// Restores an archived machine, without a worksite. Restoring twice is fine and changes nothing.
    pub async fn restore_machine(
        &self,
        caller: &Caller<WriteRegistry>,
        id: MachineId,
        if_match: &IfMatch,
    ) -> Result<Machine, Error> {
        self.update_machine(caller, id, if_match, MachineChange::default(), Change::Set(false)).await
    }

    /// Changes a machine, and archives or restores it, all or nothing. It is restored before it is changed, and archived afterwards.
    pub async fn update_machine(
        &self,
        caller: &Caller<WriteRegistry>,
        id: MachineId,
        if_match: &IfMatch,
        change: MachineChange,
        archived: Change<bool>,
    ) -> Result<Machine, Error> {
        let scope = caller.scope();
        let mut tx = self.store.begin().await?;
        tx.lock_and_bump_registry(scope).await?;
        let found = tx.machines(scope).find(id).await?;
        let mut machine = found.ok_or_else(|| Error::not_found("machine"))?;
        if_match.check(machine.version)?;
        let version = machine.version;
        if archived == Change::Set(false) {
            machine = self.set_machine_archived(&mut tx, caller, machine, None).await?;
        }
        machine = self.set_machine_values(&mut tx, caller, machine, change).await?;
        if archived == Change::Set(true) {
            let now = self.clock.now();
            machine = self.set_machine_archived(&mut tx, caller, machine, Some(now)).await?;
        }
        if machine.version != version {
            tx.commit().await?;
        }
        Ok(machine)
    }

    async fn set_machine_values(
        &self,
        tx: &mut Tx,
        caller: &Caller<WriteRegistry>,
        before: Machine,
        change: MachineChange,
    ) -> Result<Machine, Error> {
        let (scope, id, now) = (caller.scope(), before.id, self.clock.now());
        if let Change::Set(year) = change.year {
            check_year(year, now)?;
        }
        let was = stored_values(&before)?;
        let to = NewMachine {
            name: change.name.or(was.name.clone()),
            kind: change.kind.or(was.kind),
            serial_number: change.serial_number.or(was.serial_number.clone()),
            manufacturer: change.manufacturer.or(was.manufacturer.clone()),
            model: change.model.or(was.model.clone()),
            year: change.year.or(was.year),
            number_plate: change.number_plate.or(was.number_plate.clone()),
            archived_at: was.archived_at,
        };
        let moved = match change.worksite {
            Change::Keep => false,
            Change::Set(site) => {
                if before.archived_at.is_some() && site.is_some() {
                    return Err(machine_archived());
                }
                match site {
                    Some(site) => self.check_assignable(tx, caller, site).await?,
                    None if before.worksite.is_some() => refuse_unassigning(scope)?,
                    None => {}
                }
                self.move_machine(tx, caller, id, site, change.effective_from).await?
            }
        };
        if to == was && !moved {
            return Ok(before);
        }
        map_duplicate_serial(tx.machines(scope).change(id, &to, now).await)?;
        if to.name != was.name {
            tx.machines(scope).mark_station(id).await?;
        }
        if to != was {
            let entry = AuditEntry::by_caller(caller).on("machine.changed", "machine", id.0);
            self.record_audit(
                tx,
                entry.with_details(json!({ "before": audit_fields(&was), "after": audit_fields(&to) })),
            )
            .await?;
        }
        Ok(tx.machines(scope).get(id).await?)
    }

    async fn set_machine_archived(
        &self,
        tx: &mut Tx,
        caller: &Caller<WriteRegistry>,
        before: Machine,
        archived_at: Option<Timestamp>,
    ) -> Result<Machine, Error> {
        if before.archived_at.is_some() == archived_at.is_some() {
            return Ok(before);
        }
        let (scope, id, now) = (caller.scope(), before.id, self.clock.now());
        let to = NewMachine { archived_at, ..stored_values(&before)? };
        tx.machines(scope).change(id, &to, now).await?;
        let action = if archived_at.is_some() { "machine.archived" } else { "machine.restored" };
        let details = json!({
            "before": { "archived_at": before.archived_at },
            "after": { "archived_at": archived_at },
        });
        self.record_audit(
            tx,
            AuditEntry::by_caller(caller).on(action, "machine", id.0).with_details(details),
        )
        .await?;
        if archived_at.is_some() {
            self.move_machine(tx, caller, id, None, None).await?;
            self.enqueue_reattribution(tx, scope, LinkChange::Machine(id), now).await?;
            if let Some(ended) = tx.machines(scope).end_installation(id, now).await? {
                let entry = AuditEntry::by_caller(caller).on("installation.ended", "installation", ended.0);
                self.record_audit(tx, entry.with_details(json!({ "machine_id": id, "to": now }))).await?;
            }
        }
        Ok(tx.machines(scope).get(id).await?)
    }

    /// Refuses a worksite in a request body that the caller does not see or that is archived.
    async fn check_assignable(
        &self,
        tx: &mut Tx,
        caller: &Caller<WriteRegistry>,
        site: WorksiteId,
    ) -> Result<(), Error> {
        let refused = |code, text| Error::invalid_field("worksite_id", Invalid::new(code, text));
        let unknown =
            || Error::missing_relation("worksite_id", "unknown_worksite", "is not a worksite that you see");
        let found = tx.worksites(caller.scope()).find_without_boundary(site).await?.ok_or_else(unknown)?;
        if found.archived_at.is_some() {
            return Err(refused("worksite_archived", "has been archived"));
        }
        Ok(())
    }
}

/// Next year is permitted, because machines of the next model year are sold in this one.
fn check_year(year: Option<Year>, now: Timestamp) -> Result<(), Error> {
    if year.is_some_and(|year| year.get() > now.year() + 1) {
        let invalid = Invalid::new("out_of_range", "must be a year from 1900 to next year");
        return Err(Error::invalid_field("year", invalid));
    }
    Ok(())
}

/// Turns a duplicate serial number into an error of its field.
fn map_duplicate_serial<T>(outcome: Result<T, store::Error>) -> Result<T, Error> {
    map_duplicate(outcome, || {
        let invalid = Invalid::new("serial_taken", "is the serial number of another machine");
        Error::invalid_field("serial_number", invalid)
    })
}

/// Returns the stored values of a machine, to be changed and written back.
fn stored_values(machine: &Machine) -> Result<NewMachine, Error> {
    let name = |text: &str| Name::parse_stored(text).map_err(Error::internal);
    let optional = |text: &Option<String>| text.as_deref().map(name).transpose();
    Ok(NewMachine {
        name: name(&machine.name)?,
        kind: machine.kind,
        serial_number: optional(&machine.serial_number)?,
        manufacturer: optional(&machine.manufacturer)?,
        model: optional(&machine.model)?,
        year: machine.year.map(Year::new).transpose().map_err(Error::internal)?,
        number_plate: optional(&machine.number_plate)?,
        archived_at: machine.archived_at,
    })
}

/// Returns what the audit log stores of a machine.
fn audit_fields(machine: &NewMachine) -> Value {
    json!({
        "name": machine.name,
        "kind": machine.kind,
        "serial_number": machine.serial_number,
        "manufacturer": machine.manufacturer,
        "model": machine.model,
        "year": machine.year,
        "number_plate": machine.number_plate,
    })
}
