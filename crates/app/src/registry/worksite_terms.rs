//! What was true of a worksite when, and changing it from a moment on.

use domain::access::{ReadRegistry, WriteRegistry};
use domain::{Timestamp, WorksiteId};
use serde_json::{Value, json};
use store::{Page, PageRequest, Projects, TermChange, Tx, WorksiteTerm};

use crate::accounts::restriction::restricted;
use crate::platform::jobs::LinkChange;
use crate::registry::effective_dates::check_effective_from;
use crate::{App, Caller, Error};

impl App {
    /// One page of a site's terms, the newest first, with how many there are if that is asked for.
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

    /// Says something of a site from a moment on, in a transaction that holds the brand's lock: a term begins at that moment,
    /// and it and all later ones take on what is said, and keep the rest. A moment before the first term lets the site begin
    /// then. Gives what the audit log keeps, or none if it was all so already.
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
            // The clocks of hosts differ: what is said now is not said before what was said last.
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

/// Refuses to rewrite a time when the site belonged to a project that the caller does not see.
fn check_visibility(caller: &Caller<WriteRegistry>, affected: &[WorksiteTerm]) -> Result<(), Error> {
    let Projects::Only(mine) = caller.scope().projects() else { return Ok(()) };
    let is_mine = |term: &WorksiteTerm| term.project.is_some_and(|project| mine.contains(&project));
    if affected.iter().all(is_mine) {
        return Ok(());
    }
    Err(restricted("This would rewrite a time that does not belong to the projects you see."))
}

/// What the audit log keeps of terms.
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
