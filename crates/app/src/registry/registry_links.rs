//! Bulk edits of a project's worksites and a worksite's machines. Either all of an edit is applied or nothing.

use domain::access::WriteRegistry;
use domain::{Change, Invalid, MachineId, ProjectId, WorksiteId};
use store::Tx;

use crate::registry::machine_assignments::refuse_unassigning;
use crate::{App, Caller, Error, ErrorKind, IfMatch, WorksiteChange};

/// Maximum number of current members when an edit replaces them all.
const MAX_REPLACED: usize = 100;

/// The effect of an edit on the listed members.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkEdit {
    /// The listed members are added to the others.
    Add,
    /// The listed members are removed.
    Remove,
    /// The listed members replace all others.
    Replace,
}

#[macros::boxed]
impl App {
    /// Changes the active worksites of a project. An error names a bad worksite by its index in `sites`.
    pub async fn edit_worksites_of_project(
        &self,
        caller: &Caller<WriteRegistry>,
        project: ProjectId,
        edit: LinkEdit,
        sites: &[WorksiteId],
    ) -> Result<(), Error> {
        let scope = caller.scope();
        let mut tx = self.store.begin().await?;
        tx.lock_and_bump_registry(scope).await?;
        tx.projects(scope).find(project).await?.ok_or_else(|| Error::not_found("project"))?;
        let mut changed = false;
        if edit == LinkEdit::Replace {
            let current_members =
                tx.worksites(scope).of_projects(&[project], MAX_REPLACED as i64 + 1).await?;
            refuse_too_many(current_members.len())?;
            for site in current_members.iter().filter(|site| !sites.contains(&site.id)) {
                changed |= self.set_worksite_project(&mut tx, caller, site.id, None).await?;
            }
        }
        for (place, site) in sites.iter().enumerate() {
            let found = tx.worksites(scope).find_without_boundary(*site).await?;
            let is_member = found.as_ref().is_some_and(|site| site.project == Some(project));
            match (edit, found.is_some()) {
                (LinkEdit::Remove, _) if !is_member => {}
                (LinkEdit::Remove, _) => {
                    changed |= self.set_worksite_project(&mut tx, caller, *site, None).await?;
                }
                (LinkEdit::Add | LinkEdit::Replace, true) => {
                    changed |= self.set_worksite_project(&mut tx, caller, *site, Some(project)).await?;
                }
                (LinkEdit::Add | LinkEdit::Replace, false) => {
                    return Err(missing(place, "unknown_worksite", "is not a worksite that you see"));
                }
            }
        }
        if changed {
            tx.commit().await?;
        }
        Ok(())
    }

    /// Changes the machines at a worksite from now on. An error names a bad machine by its index in `machines`.
    pub async fn edit_machines_at_worksite(
        &self,
        caller: &Caller<WriteRegistry>,
        worksite: WorksiteId,
        edit: LinkEdit,
        machines: &[MachineId],
    ) -> Result<(), Error> {
        let scope = caller.scope();
        let mut tx = self.store.begin().await?;
        tx.lock_and_bump_registry(scope).await?;
        let site = tx.worksites(scope).find_without_boundary(worksite).await?;
        let site = site.ok_or_else(|| Error::not_found("worksite"))?;
        let current_members = tx.machine_assignments(scope).open_at(worksite).await?;
        let mut changed = false;
        if edit == LinkEdit::Replace {
            refuse_too_many(current_members.len())?;
            for open in current_members.iter().filter(|open| !machines.contains(&open.machine)) {
                changed |= self.set_machine_worksite(&mut tx, caller, open.machine, None).await?;
            }
        }
        for (place, machine) in machines.iter().enumerate() {
            if edit == LinkEdit::Remove {
                // Whoever sees the worksite sees its machines.
                if current_members.iter().any(|open| open.machine == *machine) {
                    changed |= self.set_machine_worksite(&mut tx, caller, *machine, None).await?;
                }
                continue;
            }
            let found = tx.machines(scope).find(*machine).await?;
            let found =
                found.ok_or_else(|| missing(place, "unknown_machine", "is not a machine that you see"))?;
            if found.archived_at.is_some() {
                return Err(refused(place, "machine_archived", "has been archived"));
            }
            if site.archived_at.is_some() {
                return Err(Error::new(
                    ErrorKind::Conflict,
                    "worksite_archived",
                    "The worksite has been archived.",
                ));
            }
            changed |= self.set_machine_worksite(&mut tx, caller, *machine, Some(worksite)).await?;
        }
        if changed {
            tx.commit().await?;
        }
        Ok(())
    }

    async fn set_worksite_project(
        &self,
        tx: &mut Tx,
        caller: &Caller<WriteRegistry>,
        site: WorksiteId,
        project: Option<ProjectId>,
    ) -> Result<bool, Error> {
        let change = WorksiteChange { project: Change::Set(project), ..WorksiteChange::default() };
        let (_, changed) = self.change_worksite_in(tx, caller, site, &IfMatch::Any, change).await?;
        Ok(changed)
    }

    async fn set_machine_worksite(
        &self,
        tx: &mut Tx,
        caller: &Caller<WriteRegistry>,
        machine: MachineId,
        at: Option<WorksiteId>,
    ) -> Result<bool, Error> {
        if at.is_none() {
            refuse_unassigning(caller.scope())?;
        }
        let moved = self.move_machine(tx, caller, machine, at, None).await?;
        if moved {
            tx.machines(caller.scope()).touch(machine, self.clock.now()).await?;
        }
        Ok(moved)
    }
}

fn refuse_too_many(there: usize) -> Result<(), Error> {
    if there <= MAX_REPLACED {
        return Ok(());
    }
    let detail =
        format!("There are more than {MAX_REPLACED} members; add and remove single members instead.");
    Err(Error::new(ErrorKind::Forbidden, "replacement_refused", detail))
}

fn refused(index: usize, code: &'static str, message: &'static str) -> Error {
    Error::invalid_field(&index.to_string(), Invalid::new(code, message))
}

fn missing(index: usize, code: &'static str, message: &'static str) -> Error {
    Error::missing_relation(&index.to_string(), code, message)
}
