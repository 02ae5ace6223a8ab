//! What those who see only some projects leave alone: whatever lies outside of these.
//!
//! Facts follow links, so whoever changes a link changes the facts of its time. Each of these is asked in the transaction that
//! makes the change, under the brand's lock, so that no fact comes in between; only what is asked about people comes before, since
//! it may read much. What happened outside is refused with 403 `restricted`; a thing that the caller does not see at all stays 404,
//! which is decided before.

use std::borrow::Cow;
use std::sync::Arc;

use domain::{BaseStationId, IncursionId, MachineId, PersonId, ProjectId, TagId, Timestamp, WorksiteId};
use geography::{Boundary, SiteIndex};
use store::{Assignment, BoundingBox, Projects, Scope, ScopePlacement, StoredIncursion, Tx, Visit};

use crate::facts::ingest::{AttributionCache, LinkLookup};
use crate::registry::site_index::parse_boundaries;
use crate::registry::tags::MAX_EVENT_AGE;
use crate::{App, Editor, Error, ErrorKind};

/// How many incursions are looked at together when a boundary is drawn anew.
const PAGE_SIZE: i64 = 500;

/// How many are looked at at most, so that the brand's lock is held for a moment only.
const MAX_INCURSIONS: i64 = 10_000;

/// Since when a site may be changed: no more incursions than these may have begun since, wherever they were, since no index leads from
/// a place to them.
const MAX_SCANNED: i64 = 100_000;

/// Refused since it would change what lies outside of the caller's projects.
pub(crate) fn restricted(detail: impl Into<Cow<'static, str>>) -> Error {
    Error::new(ErrorKind::Forbidden, "restricted", detail)
}

fn would_rewrite() -> Error {
    restricted("This would rewrite what happened outside of the projects you are restricted to.")
}

fn too_many_incursions() -> Error {
    restricted(
        "Too much happened since then to be sure that nothing outside of the projects you are restricted to would change. \
         Choose a later effective_from.",
    )
}

fn token_out_of_scope() -> Error {
    restricted(
        "The token of this base station would let you report about times at which it was outside of the projects you are \
         restricted to. Ask an admin who sees those.",
    )
}

fn refuse_out_of_scope(is_out_of_scope: bool) -> Result<(), Error> {
    if is_out_of_scope { Err(would_rewrite()) } else { Ok(()) }
}

/// Whether a project is none of the scope's.
fn is_project_out_of_scope(scope: &Scope, project: Option<ProjectId>) -> bool {
    match scope.projects() {
        Projects::All => false,
        Projects::Only(mine) => project.is_none_or(|project| !mine.contains(&project)),
    }
}

/// Whether it shows only some projects.
fn is_restricted(scope: &Scope) -> bool {
    *scope.projects() != Projects::All
}

impl App {
    /// Refuses to say anew who wore a tag in these times if that would change a fact outside.
    pub(crate) async fn guard_wearing(
        &self,
        tx: &mut Tx,
        scope: &Scope,
        tag: TagId,
        times: &[(Timestamp, Option<Timestamp>)],
    ) -> Result<(), Error> {
        for time in times {
            refuse_out_of_scope(tx.out_of_scope(scope).has_tag_facts(tag, *time).await?)?;
        }
        Ok(())
    }

    /// Refuses to touch an assignment that belongs elsewhere: what happened while it lasted lies outside, or nothing
    /// happened and the person belongs elsewhere, unless the caller made it.
    pub(crate) async fn guard_assignment(
        &self,
        tx: &mut Tx,
        editor: &Editor<'_>,
        assignment: &Assignment,
    ) -> Result<(), Error> {
        if !is_restricted(editor.scope) {
            return Ok(());
        }
        let is_out_of_scope = match tx.out_of_scope(editor.scope).assignment_placement(assignment.id).await? {
            ScopePlacement::OutOfScope => true,
            ScopePlacement::Nowhere if assignment.assigned_by == editor.stored_actor() => false,
            ScopePlacement::Nowhere => {
                tx.out_of_scope(editor.scope).person_placement(assignment.person.id).await?
                    == ScopePlacement::OutOfScope
            }
            ScopePlacement::InScope => false,
        };
        if is_out_of_scope {
            return Err(restricted("This tag is worn outside of the projects you are restricted to."));
        }
        Ok(())
    }

    /// Refuses to end or correct a visit outside, which others may come across: when a person is archived, for one.
    pub(crate) async fn guard_visit(
        &self,
        tx: &mut Tx,
        editor: &Editor<'_>,
        visit: &Visit,
    ) -> Result<(), Error> {
        if !is_restricted(editor.scope) || tx.visitor_sessions(editor.scope).find(visit.id).await?.is_some() {
            return Ok(());
        }
        Err(restricted("This person is checked in outside of the projects you are restricted to."))
    }

    /// Refuses to change a person all of whose visits, incursions and runtime lie outside. Whoever is linked nowhere is
    /// everyone's. Asked before the change takes the brand's lock: it may have to look at much, and what comes in meanwhile
    /// might as well have come after the change.
    pub(crate) async fn guard_person(&self, editor: &Editor<'_>, person: PersonId) -> Result<(), Error> {
        if !is_restricted(editor.scope) {
            return Ok(());
        }
        match self.store.read().await?.out_of_scope(editor.scope).person_placement(person).await? {
            ScopePlacement::OutOfScope => Err(restricted(
                "Everything that is known of this person lies outside of the projects you are restricted to.",
            )),
            ScopePlacement::Nowhere | ScopePlacement::InScope => Ok(()),
        }
    }

    /// Refuses to take away who a person was unless nothing of theirs lies outside.
    pub(crate) async fn guard_erasure(
        &self,
        tx: &mut Tx,
        editor: &Editor<'_>,
        person: PersonId,
    ) -> Result<(), Error> {
        match tx.out_of_scope(editor.scope).has_person_facts(person).await? {
            true => Err(restricted(
                "Something that is known of this person lies outside of the projects you are restricted to.",
            )),
            false => Ok(()),
        }
    }

    /// Refuses to say anew on which machine base stations were from a moment on: if that would change a fact outside, or a
    /// time at which one of the machines was outside.
    pub(crate) async fn guard_installation(
        &self,
        tx: &mut Tx,
        scope: &Scope,
        stations: &[BaseStationId],
        machines: &[MachineId],
        from: Timestamp,
    ) -> Result<(), Error> {
        for station in stations {
            refuse_out_of_scope(tx.out_of_scope(scope).has_station_facts(*station, from).await?)?;
        }
        for machine in machines {
            // One that they do not see now is not theirs to tell of, whatever it was then.
            let is_seen = !is_restricted(scope) || tx.machines(scope).find(*machine).await?.is_some();
            refuse_out_of_scope(!is_seen)?;
            refuse_out_of_scope(tx.out_of_scope(scope).has_machine_sites(*machine, (from, None)).await?)?;
        }
        Ok(())
    }

    /// Refuses to let someone speak for a base station that was outside at a moment of which its token can report: events are
    /// attributed by their own time, and change what was reported before.
    pub(crate) async fn guard_token(
        &self,
        tx: &mut Tx,
        scope: &Scope,
        station: BaseStationId,
    ) -> Result<(), Error> {
        let from = self.clock.now() - MAX_EVENT_AGE;
        self.guard_station(tx, scope, station, from).await.map_err(|error| match error.kind {
            ErrorKind::Forbidden => token_out_of_scope(),
            _ => error,
        })?;
        match tx.out_of_scope(scope).has_facts_without_project(station, from).await? {
            true => Err(token_out_of_scope()),
            false => Ok(()),
        }
    }

    /// Refuses to say anew what was true of a base station from a moment on, if it was outside since then.
    pub(crate) async fn guard_station(
        &self,
        tx: &mut Tx,
        scope: &Scope,
        station: BaseStationId,
        from: Timestamp,
    ) -> Result<(), Error> {
        if !is_restricted(scope) {
            return Ok(());
        }
        for link in tx.fact_links(scope).installations(&[station]).await? {
            if link.until.is_some_and(|until| until <= from) {
                continue;
            }
            let time = (link.from.max(from), link.until);
            refuse_out_of_scope(tx.out_of_scope(scope).has_machine_sites(link.target, time).await?)?;
        }
        Ok(())
    }

    /// Refuses to say anew at which site a machine was from a moment on, if that would change a fact outside or give one of the
    /// caller's projects away. `touched` are the sites it was at by then, each with the time that would change.
    pub(crate) async fn guard_move(
        &self,
        tx: &mut Tx,
        scope: &Scope,
        machine: MachineId,
        to: Option<WorksiteId>,
        from: Timestamp,
        affected: &[(WorksiteId, (Timestamp, Option<Timestamp>))],
    ) -> Result<(), Error> {
        for (site, time) in affected {
            let is_seen =
                !is_restricted(scope) || tx.worksites(scope).find_without_boundary(*site).await?.is_some();
            refuse_out_of_scope(!is_seen)?;
            refuse_out_of_scope(tx.out_of_scope(scope).has_site_terms(*site, *time).await?)?;
        }
        let own: Vec<WorksiteId> = affected.iter().map(|(site, _)| *site).collect();
        refuse_out_of_scope(tx.out_of_scope(scope).has_machine_facts(machine, from, &own).await?)?;
        refuse_out_of_scope(match to {
            Some(site) => tx.out_of_scope(scope).has_site_terms(site, (from, None)).await?,
            // From now on it is somewhere else, which says nothing of what happened.
            None if from >= self.clock.now() => false,
            None => tx.out_of_scope(scope).has_any_machine_facts(machine, from).await?,
        })
    }

    /// Refuses to have said something else of a site from a moment on, if a fact outside was its own, would become its own, or
    /// would stop being the caller's. Asked after the change, in its transaction: what facts would become is computed as
    /// the job that follows links would, by the links as they would be. Where the boundary stays, no fact comes or goes.
    pub(crate) async fn guard_site(
        &self,
        tx: &mut Tx,
        scope: &Scope,
        site: WorksiteId,
        from: Timestamp,
        boundary_changed: bool,
    ) -> Result<(), Error> {
        if !is_restricted(scope) {
            return Ok(());
        }
        if tx.out_of_scope(scope).has_more_incursions_than(MAX_SCANNED, from).await? {
            return Err(too_many_incursions());
        }
        refuse_out_of_scope(tx.out_of_scope(scope).has_site_facts(site, from).await?)?;
        if !boundary_changed {
            return Ok(());
        }
        let rows = tx.worksite_terms(scope).boundaries(None).await?;
        let boundaries =
            tokio::task::spawn_blocking(move || parse_boundaries(rows)).await.map_err(Error::internal)?;
        let own = boundaries.iter().filter(|(of, _)| *of == site).map(|(_, dated)| &*dated.boundary);
        let bounds = bounding_box(own);
        let index = Arc::new(SiteIndex::new(boundaries));
        let mut links = AttributionCache::default();
        let (mut after, mut seen) = (IncursionId(0), 0);
        loop {
            let page = tx.out_of_scope(scope).list_movable(site, from, bounds, after, PAGE_SIZE).await?;
            let Some(last) = page.last() else { return Ok(()) };
            after = last.id;
            seen += PAGE_SIZE;
            // Any number will do, so long as it is not that of links that were never read.
            links.refresh(tx, scope, 1, Arc::clone(&index), &LinkLookup::of_rows(&page)).await?;
            refuse_out_of_scope(page.iter().any(|stored| changes_out_of_scope(scope, &links, stored)))?;
            if seen >= MAX_INCURSIONS {
                return Err(too_many_incursions());
            }
        }
    }
}

/// Whether an incursion would be attributed otherwise, and is or would be outside.
fn changes_out_of_scope(scope: &Scope, links: &AttributionCache, stored: &StoredIncursion) -> bool {
    let row = &stored.row;
    let is = links.attribute(row.base_station, row.tag, row.operator_tag, row.position, row.started_at);
    is != row.attribution
        && (is_project_out_of_scope(scope, row.attribution.project)
            || is_project_out_of_scope(scope, is.project))
}

/// A rectangle around boundaries, a little wider than they are; without any, one in which nothing lies.
fn bounding_box<'a>(boundaries: impl Iterator<Item = &'a Boundary>) -> BoundingBox {
    let nothing = BoundingBox { lat_e7: (1, 0), lon_e7: (1, 0) };
    let boxes = boundaries.map(|boundary| {
        let [west, south, east, north] = boundary.bbox();
        // Degrees are at most 180: far within what an i64 holds.
        let low = |degrees: f64| (degrees * 1e7).floor() as i64 - 1_000;
        let high = |degrees: f64| (degrees * 1e7).ceil() as i64 + 1_000;
        BoundingBox { lat_e7: (low(south), high(north)), lon_e7: (low(west), high(east)) }
    });
    boxes.fold(nothing, |all, one| match all == nothing {
        true => one,
        false => BoundingBox {
            lat_e7: (all.lat_e7.0.min(one.lat_e7.0), all.lat_e7.1.max(one.lat_e7.1)),
            lon_e7: (all.lon_e7.0.min(one.lon_e7.0), all.lon_e7.1.max(one.lon_e7.1)),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rectangle_holds_all_boundaries() {
        let square = |lon: f64| {
            let ring = [[lon, 48.0], [lon + 0.01, 48.0], [lon + 0.01, 48.01], [lon, 48.01], [lon, 48.0]];
            let value = serde_json::json!({ "type": "Polygon", "coordinates": [ring] });
            Boundary::from_geojson(&value).unwrap()
        };
        let [left, right] = [square(16.0), square(17.0)];
        let BoundingBox { lat_e7, lon_e7 } = bounding_box([&left, &right].into_iter());
        assert!(lat_e7.0 <= 480_000_000 && lat_e7.1 >= 480_100_000, "{lat_e7:?}");
        assert!(lon_e7.0 <= 160_000_000 && lon_e7.1 >= 170_100_000, "{lon_e7:?}");
        let BoundingBox { lat_e7, .. } = bounding_box(std::iter::empty());
        assert!(lat_e7.0 > lat_e7.1);
    }
}
