//! The terms of worksites, and changes of them from a time on.

use domain::access::{ReadRegistry, WriteRegistry};
use domain::{Page, PageRequest, Timestamp, WorksiteId, WorksiteTerm};
use serde_json::{Value, json};
use store::{Projects, TermChange, Tx};

use crate::accounts::restricted_error::restricted;
use crate::platform::jobs::LinkChange;
use crate::registry::effective_dates::check_effective_from;
use crate::{App, Caller, Error};

#[macros::boxed]
impl App {
    /// Lists a page of a worksite's terms, the newest first, with the total if requested.
    pub async fn list_worksite_terms(
        &self,
        caller: &Caller<ReadRegistry>,
        id: WorksiteId,
        page: &PageRequest,
        include_total: bool,
    ) -> Result<(Page<WorksiteTerm>, Option<i64>), Error> {
        let scope = caller.scope();
        let mut tx = self.store.read().await?;
        tx.worksites(scope).find_without_boundary(id).await?.ok_or_else(|| Error::not_found("worksite"))?;
        let found = tx.worksite_terms(scope).page(id, page).await?;
        let total = if include_total { Some(tx.worksite_terms(scope).count(id).await?) } else { None };
        Ok((found, total))
    }

    /// Changes a worksite from a time on, in a transaction that has locked the registry. A term starts at that time; it and all later
    /// terms get the changed values and keep the others. A time before the first term moves the start of the worksite. Returns the
    /// details for the audit log, or `None` if nothing changed.
    pub(crate) async fn amend_terms(
        &self,
        tx: &mut Tx,
        caller: &Caller<WriteRegistry>,
        id: WorksiteId,
        change: &TermChange,
        from: Option<Timestamp>,
    ) -> Result<Option<Value>, Error> {
        if *change == TermChange::default() {
            return Ok(None);
        }
        let scope = caller.scope();
        let now = self.clock.now();
        let missing = || Error::internal(format!("worksite {id} has no terms"));
        let at = match from {
            Some(given) => check_effective_from(given, now)?,
            // The clocks of hosts differ, so a change from now on never applies before the start of the last term.
            None => now.max(tx.worksite_terms(scope).last(id).await?.ok_or_else(missing)?.from),
        };
        let first = tx.worksite_terms(scope).first(id).await?.ok_or_else(missing)?;
        let in_force = tx.worksite_terms(scope).at(id, at).await?.unwrap_or_else(|| first.clone());
        let before = tx.worksite_terms(scope).since(id, in_force.from).await?;
        check_visibility(caller, &before)?;
        if in_force.from != at {
            tx.worksite_terms(scope).split(id, in_force.from, at, now).await?;
        }
        let changed = tx.worksite_terms(scope).set(id, at, change, now).await?;
        tx.worksite_terms(scope).merge(id).await?;
        if changed == 0 && at >= first.from {
            return Ok(None);
        }
        self.guard_site(tx, scope, id, at, change.boundary.is_some()).await?;
        self.enqueue_reattribution(tx, scope, LinkChange::Sites, at).await?;
        let after = tx.worksite_terms(scope).since(id, in_force.from.min(at)).await?;
        Ok(Some(
            json!({ "effective_from": at, "before": audit_fields(&before), "after": audit_fields(&after) }),
        ))
    }
}

/// Refuses to change a period in which the worksite belonged to a project that the caller does not see.
fn check_visibility(caller: &Caller<WriteRegistry>, affected: &[WorksiteTerm]) -> Result<(), Error> {
    let Projects::Only(mine) = caller.scope().projects() else { return Ok(()) };
    let is_mine = |term: &WorksiteTerm| term.project.is_some_and(|project| mine.contains(&project));
    if affected.iter().all(is_mine) {
        return Ok(());
    }
    Err(restricted("This would change a period that does not belong to the projects you see."))
}

/// Returns what the audit log stores of terms.
fn audit_fields(terms: &[WorksiteTerm]) -> Vec<Value> {
    let one = |term: &WorksiteTerm| {
        json!({
            "from": term.from,
            "time_zone": term.time_zone,
            "project_id": term.project,
            "area_m2": term.area_m2,
        })
    };
    terms.iter().map(one).collect()
}
