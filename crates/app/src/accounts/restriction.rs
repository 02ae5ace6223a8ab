//! Guards that keep restricted callers from changing what is out of scope for them.
//!
//! Facts follow links, so a changed link changes the facts of its period. Each guard runs in the transaction of the change, under the
//! brand's lock, so that no fact arrives in between; only the guard of people runs before it, because it may read much. A change of
//! out-of-scope facts is refused with 403 `restricted`. A record that the caller does not see at all stays 404, which is decided
//! earlier.

use std::sync::Arc;

use domain::{
    Assignment, BaseStationId, IncursionId, MachineId, PersonId, ProjectId, StoredIncursion, TagId,
    Timestamp, Visit, WorksiteId,
};
use geography::{Boundary, SiteIndex};
use store::{BoundingBox, Projects, Scope, ScopePlacement, Tx};

use crate::accounts::restricted_error::restricted;
use crate::facts::ingest::{AttributionCache, LinkLookup};
use crate::registry::effective_dates::MAX_EVENT_AGE;
use crate::registry::site_index::parse_boundaries;
use crate::{App, Editor, Error, ErrorKind};

/// Number of incursions that are checked together when a boundary changes.
const PAGE_SIZE: i64 = 500;

/// Maximum number of incursions that are checked, so that the brand's lock is held only briefly.
const MAX_INCURSIONS: i64 = 10_000;

/// Maximum number of incursions since the change takes effect, wherever they were, because no index leads from a place to
/// incursions. With more of them the change is refused.
const MAX_SCANNED: i64 = 100_000;

fn would_rewrite() -> Error {
    restricted("This would change facts outside the projects you are restricted to.")
}

fn too_many_incursions() -> Error {
    restricted(
        "Too much happened since then to be sure that nothing outside the projects you are restricted to would change. \
         Choose a later effective_from.",
    )
}

fn token_out_of_scope() -> Error {
    restricted(
        "The token of this base station would let you report about times at which it was outside the projects you are \
         restricted to. Ask an admin who sees those projects.",
    )
}

fn refuse_out_of_scope(is_out_of_scope: bool) -> Result<(), Error> {
    if is_out_of_scope { Err(would_rewrite()) } else { Ok(()) }
}

fn is_project_out_of_scope(scope: &Scope, project: Option<ProjectId>) -> bool {
    match scope.projects() {
        Projects::All => false,
        Projects::Only(mine) => project.is_none_or(|project| !mine.contains(&project)),
    }
}

fn is_restricted(scope: &Scope) -> bool {
    *scope.projects() != Projects::All
}

impl App {
    /// Refuses to change who wore a tag in these periods if that would change an out-of-scope fact.
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

    /// Refuses to change an out-of-scope assignment: the facts of its period are out of scope, or there are none and the person is out
    /// of scope, unless the caller created the assignment.
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
            return Err(restricted("This tag is worn outside the projects you are restricted to."));
        }
        Ok(())
    }

    /// Refuses to end or correct an out-of-scope visit, which a caller can come across when they archive a person, for example.
    pub(crate) async fn guard_visit(
        &self,
        tx: &mut Tx,
        editor: &Editor<'_>,
        visit: &Visit,
    ) -> Result<(), Error> {
        if !is_restricted(editor.scope) || tx.visitor_sessions(editor.scope).find(visit.id).await?.is_some() {
            return Ok(());
        }
        Err(restricted("This person is checked in outside the projects you are restricted to."))
    }

    /// Refuses to change a person all of whose visits, incursions and runtime are out of scope. A person without any of these may be
    /// changed by everyone. This runs before the change takes the brand's lock, because it may read much; facts that arrive in
    /// the meantime could as well have arrived after the change.
    pub(crate) async fn guard_person(&self, editor: &Editor<'_>, person: PersonId) -> Result<(), Error> {
        if !is_restricted(editor.scope) {
            return Ok(());
        }
        match self.store.read().await?.out_of_scope(editor.scope).person_placement(person).await? {
            ScopePlacement::OutOfScope => {
                Err(restricted("All data of this person is outside the projects you are restricted to."))
            }
            ScopePlacement::Nowhere | ScopePlacement::InScope => Ok(()),
        }
    }

    /// Refuses to erase a person if any of their data is out of scope.
    pub(crate) async fn guard_erasure(
        &self,
        tx: &mut Tx,
        editor: &Editor<'_>,
        person: PersonId,
    ) -> Result<(), Error> {
        match tx.out_of_scope(editor.scope).has_person_facts(person).await? {
            true => {
                Err(restricted("Some data of this person is outside the projects you are restricted to."))
            }
            false => Ok(()),
        }
    }

    /// Refuses to change the machine of base stations from a time on if that would change an out-of-scope fact, or a period in which
    /// one of the machines was out of scope.
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
            // A machine that the caller does not see now is not theirs to change, wherever it was then.
            let is_seen = !is_restricted(scope) || tx.machines(scope).find(*machine).await?.is_some();
            refuse_out_of_scope(!is_seen)?;
            refuse_out_of_scope(tx.out_of_scope(scope).has_machine_sites(*machine, (from, None)).await?)?;
        }
        Ok(())
    }

    /// Refuses to issue the token of a base station that was out of scope at a time about which the token can report: events are
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

    /// Refuses to change a base station from a time on if it was out of scope since then.
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

    /// Refuses to change the worksite of a machine from a time on if that would change an out-of-scope fact or move a fact out of the
    /// caller's projects. `affected` are the worksites it was at, each with the period that would change.
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
            // From now on the machine is elsewhere, which changes no past fact.
            None if from >= self.clock.now() => false,
            None => tx.out_of_scope(scope).has_any_machine_facts(machine, from).await?,
        })
    }

    /// Refuses to change a worksite from a time on if an out-of-scope fact belonged to it or would belong to it, or if a fact would leave
    /// the caller's projects. This runs after the change, in its transaction: the new attribution is computed from the changed links
    /// as the reattribution job would compute it. Where the boundary stays, no fact moves.
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
        let parsed = tokio::task::spawn_blocking(move || parse_boundaries(rows));
        let boundaries = tx.keep_alive_while(parsed).await?.map_err(Error::internal)?;
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
            // Any version works that differs from the default of a cache that was never filled.
            links.refresh(tx, scope, 1, Arc::clone(&index), &LinkLookup::of_rows(&page)).await?;
            refuse_out_of_scope(page.iter().any(|stored| changes_out_of_scope(scope, &links, stored)))?;
            if seen >= MAX_INCURSIONS {
                return Err(too_many_incursions());
            }
        }
    }
}

/// Whether the attribution of an incursion would change, and the incursion is or would be out of scope.
fn changes_out_of_scope(scope: &Scope, links: &AttributionCache, stored: &StoredIncursion) -> bool {
    let row = &stored.row;
    let is = links.attribute(row.base_station, row.tag, row.operator_tag, row.position, row.started_at);
    is != row.attribution
        && (is_project_out_of_scope(scope, row.attribution.project)
            || is_project_out_of_scope(scope, is.project))
}

/// Returns a rectangle slightly larger than the boundaries, or an empty one if there are none.
fn bounding_box<'a>(boundaries: impl Iterator<Item = &'a Boundary>) -> BoundingBox {
    let nothing = BoundingBox { lat_e7: (1, 0), lon_e7: (1, 0) };
    let boxes = boundaries.map(|boundary| {
        let [west, south, east, north] = boundary.bbox();
        // Degrees are at most 180, so the result fits into an i64.
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
