//! The terms of worksites, and changes of them from a time on.

use domain::access::{ReadRegistry, WriteRegistry};
use domain::{Page, PageRequest, ProjectId, Timestamp, WorksiteId, WorksiteTerm};
use serde_json::{Value, json};
use store::{Projects, Scope, TermChange, Tx};

use crate::accounts::restricted_error::restricted;
use crate::platform::jobs::LinkChange;
use crate::registry::effective_dates::check_effective_from;
use crate::{App, Caller, Error};

/// The projects of a worksite, each with the time from which on it applies, oldest first. A visit belongs to the one at its check-in.
#[derive(Clone, Debug)]
pub(crate) struct ProjectsOverTime(Vec<(Option<Timestamp>, Option<ProjectId>)>);

/// A period without a start or an end is open on that side; ends are exclusive.
type OpenPeriod = (Option<Timestamp>, Option<Timestamp>);

impl ProjectsOverTime {
    pub(crate) async fn read(
        tx: &mut Tx,
        scope: &Scope,
        id: WorksiteId,
        current: Option<ProjectId>,
    ) -> Result<Self, Error> {
        let terms = tx.worksite_terms(scope).since(id, Timestamp::from_micros(0)).await?;
        Ok(Self::new(current, terms.iter().map(|term| (term.from, term.project))))
    }

    /// Before the first term, the worksite belongs to its current project.
    fn new(
        current: Option<ProjectId>,
        terms: impl IntoIterator<Item = (Timestamp, Option<ProjectId>)>,
    ) -> Self {
        let of_terms = terms.into_iter().map(|(from, project)| (Some(from), project));
        Self(std::iter::once((None, current)).chain(of_terms).collect())
    }

    /// Returns the project at a time; `None` is before all times.
    fn at(&self, time: Option<Timestamp>) -> Option<ProjectId> {
        self.0.iter().rev().find(|(from, _)| *from <= time).and_then(|(_, project)| *project)
    }

    /// Returns the periods that belong to another project now, each with the project that it belonged to.
    pub(crate) fn changed_periods(&self, now: &Self) -> Vec<(OpenPeriod, Option<ProjectId>)> {
        let mut starts: Vec<Option<Timestamp>> = self.0.iter().chain(&now.0).map(|(from, _)| *from).collect();
        starts.sort_unstable();
        starts.dedup();
        let mut changed: Vec<(OpenPeriod, Option<ProjectId>)> = Vec::new();
        for (index, from) in starts.iter().copied().enumerate() {
            let left = self.at(from);
            if left == now.at(from) {
                continue;
            }
            let to = starts.get(index + 1).copied().flatten();
            match changed.last_mut() {
                Some(((_, end), project)) if *end == from && *project == left => *end = to,
                _ => changed.push(((from, to), left)),
            }
        }
        changed
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_periods_that_change_their_project_are_found() {
        let at = Timestamp::from_seconds;
        let (north, south) = (Some(ProjectId(1)), Some(ProjectId(2)));
        let before = ProjectsOverTime::new(north, [(at(10), north), (at(20), None)]);
        assert!(before.changed_periods(&before).is_empty());
        // From the middle of the first term on it is in the south, and so it is before the first term, where its current project counts.
        let now = ProjectsOverTime::new(south, [(at(10), north), (at(15), south)]);
        assert_eq!(
            before.changed_periods(&now),
            [
                ((None, Some(at(10))), north),
                ((Some(at(15)), Some(at(20))), north),
                ((Some(at(20)), None), None)
            ]
        );
        // Periods of one project that follow each other are one.
        let split = ProjectsOverTime::new(north, [(at(10), north), (at(12), north)]);
        let moved = ProjectsOverTime::new(south, [(at(10), south)]);
        assert_eq!(split.changed_periods(&moved), [((None, None), north)]);
        // A worksite that begins earlier than it did keeps its visits.
        let earlier = ProjectsOverTime::new(north, [(at(5), north), (at(20), None)]);
        assert!(before.changed_periods(&earlier).is_empty());
    }
}
