//! Dated assignments of machines to worksites. A machine is at one worksite at a time.

use domain::access::{ReadRegistry, WriteRegistry};
use domain::{MachineAssignment, MachineId, Page, PageRequest, Span, Timestamp, WorksiteId};
use serde_json::{Value, json};
use store::{Scope, Tx};

use crate::accounts::restricted_error::require_unrestricted;
use crate::platform::audit::AuditEntry;
use crate::platform::jobs::LinkChange;
use crate::registry::effective_dates::check_effective_from;
use crate::{App, Caller, Error, ErrorKind};

#[macros::boxed]
impl App {
    /// Lists a page of the machine assignments of a worksite, the newest first, with the total if requested.
    pub async fn list_worksite_assignments(
        &self,
        caller: &Caller<ReadRegistry>,
        worksite: WorksiteId,
        open: Option<bool>,
        page: &PageRequest,
        include_total: bool,
    ) -> Result<(Page<MachineAssignment>, Option<i64>), Error> {
        let scope = caller.scope();
        let mut tx = self.store.read().await?;
        tx.worksites(scope)
            .find_without_boundary(worksite)
            .await?
            .ok_or_else(|| Error::not_found("worksite"))?;
        let found = tx.machine_assignments(scope).page(worksite, open, page).await?;
        let total = if include_total {
            Some(tx.machine_assignments(scope).count(worksite, open).await?)
        } else {
            None
        };
        Ok((found, total))
    }

    /// Refuses a machine or worksite that the caller does not see, before the request body is read.
    pub async fn check_machine_and_worksite(
        &self,
        caller: &Caller<WriteRegistry>,
        machine: MachineId,
        worksite: WorksiteId,
    ) -> Result<(), Error> {
        let mut tx = self.store.read().await?;
        self.check_both_visible(&mut tx, caller, machine, worksite).await
    }

    /// Assigns a machine to a worksite. Repeating it is fine and changes nothing.
    pub async fn assign_machine(
        &self,
        caller: &Caller<WriteRegistry>,
        machine: MachineId,
        worksite: WorksiteId,
        from: Option<Timestamp>,
    ) -> Result<MachineAssignment, Error> {
        let mut tx = self.store.begin().await?;
        tx.lock_and_bump_registry(caller.scope()).await?;
        self.check_both_visible(&mut tx, caller, machine, worksite).await?;
        let site = tx.worksites(caller.scope()).find_without_boundary(worksite).await?;
        if site.is_some_and(|site| site.archived_at.is_some()) {
            return Err(Error::new(
                ErrorKind::Conflict,
                "worksite_archived",
                "The worksite has been archived.",
            ));
        }
        let moved = self.move_machine(&mut tx, caller, machine, Some(worksite), from).await?;
        if moved {
            tx.machines(caller.scope()).touch(machine, self.clock.now()).await?;
        }
        let made = tx.machine_assignments(caller.scope()).last_at(machine, worksite).await?;
        let made = made.ok_or_else(|| Error::not_found("assignment"))?;
        if moved {
            tx.commit().await?;
        }
        Ok(made)
    }

    /// Ends a machine's assignment to a worksite now, which restricted callers cannot. Repeating it is fine and changes nothing.
    pub async fn end_machine_assignment(
        &self,
        caller: &Caller<WriteRegistry>,
        machine: MachineId,
        worksite: WorksiteId,
    ) -> Result<MachineAssignment, Error> {
        let missing = || Error::not_found("assignment");
        let scope = caller.scope();
        let mut tx = self.store.begin().await?;
        tx.lock_and_bump_registry(scope).await?;
        // Whoever sees the worksite sees its assignments, even if the machine has moved out of scope since.
        tx.worksites(scope)
            .find_without_boundary(worksite)
            .await?
            .ok_or_else(|| Error::not_found("worksite"))?;
        let last = tx.machine_assignments(scope).last_at(machine, worksite).await?.ok_or_else(missing)?;
        if last.to.is_some() {
            return Ok(last);
        }
        refuse_unassigning(scope)?;
        self.move_machine(&mut tx, caller, machine, None, None).await?;
        tx.machines(scope).touch(machine, self.clock.now()).await?;
        let ended = tx.machine_assignments(scope).last_at(machine, worksite).await?.ok_or_else(missing)?;
        tx.commit().await?;
        Ok(ended)
    }

    /// Sets the worksite of a machine from a time on, in a transaction that has locked the registry. Returns whether anything changed. The
    /// assignment at that time is cut short; later ones are superseded and removed. All of them are listed in the audit entry.
    pub(crate) async fn move_machine(
        &self,
        tx: &mut Tx,
        caller: &Caller<WriteRegistry>,
        machine: MachineId,
        to: Option<WorksiteId>,
        from: Option<Timestamp>,
    ) -> Result<bool, Error> {
        let scope = caller.scope();
        let now = self.clock.now();
        let from = match from {
            Some(given) => check_effective_from(given, now)?,
            // A change from now on supersedes nothing. It only ends the last assignment, whatever this host's clock says.
            None => {
                let last = tx.machine_assignments(scope).last_of(machine).await?;
                last.map_or(now, |last| now.max(last.to.unwrap_or(last.from + Span::from_micros(1))))
            }
        };
        let before = tx.machine_assignments(scope).since(machine, from).await?;
        let open = before.last().filter(|last| last.to.is_none());
        let is_unchanged = match (open, to) {
            (None, None) => before.is_empty(),
            (Some(open), Some(site)) => open.worksite == site && open.from <= from,
            _ => false,
        };
        if is_unchanged {
            return Ok(false);
        }
        let affected: Vec<_> =
            before.iter().map(|one| (one.worksite, (one.from.max(from), one.to))).collect();
        self.guard_move(tx, scope, machine, to, from, &affected).await?;
        tx.machines(scope).record_move(machine).await?;
        let covering = before.first().filter(|first| first.from < from);
        for superseded in before.iter().filter(|one| one.from >= from) {
            tx.machine_assignments(scope).remove(superseded.id).await?;
        }
        match (covering, to) {
            // The machine was already there and stays.
            (Some(first), Some(site)) if first.worksite == site => {
                tx.machine_assignments(scope).end(first.id, None, now).await?;
            }
            (covering, to) => {
                if let Some(first) = covering {
                    tx.machine_assignments(scope).end(first.id, Some(from), now).await?;
                }
                if let Some(site) = to {
                    tx.machine_assignments(scope).open(machine, site, from, now).await?;
                }
            }
        }
        self.enqueue_reattribution(tx, scope, LinkChange::Machine(machine), from).await?;
        let since = covering.map_or(from, |first| first.from);
        let after = tx.machine_assignments(scope).since(machine, since).await?;
        let entry = AuditEntry::by_caller(caller).on("machine.assigned", "machine", machine.0);
        self.record_audit(
            tx,
            entry.with_details(json!({ "before": audit_fields(&before), "after": audit_fields(&after) })),
        )
        .await?;
        Ok(true)
    }

    async fn check_both_visible(
        &self,
        tx: &mut Tx,
        caller: &Caller<WriteRegistry>,
        machine: MachineId,
        worksite: WorksiteId,
    ) -> Result<(), Error> {
        let scope = caller.scope();
        tx.worksites(scope)
            .find_without_boundary(worksite)
            .await?
            .ok_or_else(|| Error::not_found("worksite"))?;
        let found = tx.machines(scope).find(machine).await?.ok_or_else(|| Error::not_found("machine"))?;
        if found.archived_at.is_some() {
            return Err(machine_archived());
        }
        Ok(())
    }
}

/// Refuses to leave a machine without a worksite if the caller is restricted: they could not add it without one either, because they see
/// only machines at worksites of their projects.
pub(crate) fn refuse_unassigning(scope: &Scope) -> Result<(), Error> {
    require_unrestricted(scope, "leave a machine without a worksite, because you would no longer see it")
}

/// The error for archived machines, which cannot be assigned.
pub(crate) fn machine_archived() -> Error {
    Error::new(ErrorKind::Conflict, "machine_archived", "The machine has been archived; restore it first.")
}

/// Returns what the audit log stores of assignments.
fn audit_fields(assignments: &[MachineAssignment]) -> Vec<Value> {
    let one = |a: &MachineAssignment| json!({ "worksite_id": a.worksite, "from": a.from, "to": a.to });
    assignments.iter().map(one).collect()
}
