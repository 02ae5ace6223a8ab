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
use store::{Assignment, GroundBox, KeptIncursion, Projects, Scope, Standing, Tx, Visit};

use crate::facts::intake::{Links, Wanted};
use crate::registry::site_index::read_all;
use crate::registry::tags::OLDEST;
use crate::{App, Error, Hand, Kind};

/// How many incursions are looked at together when a boundary is drawn anew.
const PAGE: i64 = 500;

/// How many are looked at at most, so that the brand's lock is held for a moment only.
const MAX_INCURSIONS: i64 = 10_000;

/// Since when a site may be changed: no more incursions than these may have begun since, wherever they were, since no index leads from
/// a place to them.
const MAX_SCANNED: i64 = 100_000;

/// Refused since it would change what lies outside of the caller's projects.
pub(crate) fn restricted(detail: impl Into<Cow<'static, str>>) -> Error {
    Error::new(Kind::Forbidden, "restricted", detail)
}

fn would_rewrite() -> Error {
    restricted("This would rewrite what happened outside of the projects you are restricted to.")
}

fn too_many() -> Error {
    restricted(
        "Too much happened since then to be sure that nothing outside of the projects you are restricted to would change. \
         Choose a later effective_from.",
    )
}

fn reports_of_others() -> Error {
    restricted(
        "The token of this base station would let you report about times at which it was outside of the projects you are \
         restricted to. Ask an admin who sees those.",
    )
}

fn refuse(is_outside: bool) -> Result<(), Error> {
    if is_outside { Err(would_rewrite()) } else { Ok(()) }
}

/// Whether a project is none of the scope's.
fn is_beyond(scope: &Scope, project: Option<ProjectId>) -> bool {
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
            refuse(tx.outside(scope).facts_of_tag(tag, *time).await?)?;
        }
        Ok(())
    }

    /// Refuses to touch an assignment that belongs elsewhere: what happened while it lasted lies outside, or nothing
    /// happened and the person belongs elsewhere, unless the caller made it.
    pub(crate) async fn guard_assignment(
        &self,
        tx: &mut Tx,
        hand: &Hand<'_>,
        assignment: &Assignment,
    ) -> Result<(), Error> {
        if !is_restricted(hand.scope) {
            return Ok(());
        }
        let is_elsewhere = match tx.outside(hand.scope).assignment(assignment.id).await? {
            Standing::Elsewhere => true,
            Standing::Nowhere if assignment.assigned_by == hand.by() => false,
            Standing::Nowhere => {
                tx.outside(hand.scope).person(assignment.person.id).await? == Standing::Elsewhere
            }
            Standing::Here => false,
        };
        if is_elsewhere {
            return Err(restricted("This tag is worn outside of the projects you are restricted to."));
        }
        Ok(())
    }

    /// Refuses to end or correct a visit outside, which others may come across: when a person is archived, for one.
    pub(crate) async fn guard_visit(&self, tx: &mut Tx, hand: &Hand<'_>, visit: &Visit) -> Result<(), Error> {
        if !is_restricted(hand.scope) || tx.visitor_sessions(hand.scope).find(visit.id).await?.is_some() {
            return Ok(());
        }
        Err(restricted("This person is checked in outside of the projects you are restricted to."))
    }

    /// Refuses to change a person all of whose visits, incursions and runtime lie outside. Whoever is linked nowhere is
    /// everyone's. Asked before the change takes the brand's lock: it may have to look at much, and what comes in meanwhile
    /// might as well have come after the change.
    pub(crate) async fn guard_person(&self, hand: &Hand<'_>, person: PersonId) -> Result<(), Error> {
        if !is_restricted(hand.scope) {
            return Ok(());
        }
        match self.store.read().await?.outside(hand.scope).person(person).await? {
            Standing::Elsewhere => Err(restricted(
                "Everything that is known of this person lies outside of the projects you are restricted to.",
            )),
            Standing::Nowhere | Standing::Here => Ok(()),
        }
    }

    /// Refuses to take away who a person was unless nothing of theirs lies outside.
    pub(crate) async fn guard_erasure(
        &self,
        tx: &mut Tx,
        hand: &Hand<'_>,
        person: PersonId,
    ) -> Result<(), Error> {
        match tx.outside(hand.scope).any_of_person(person).await? {
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
            refuse(tx.outside(scope).facts_of_station(*station, from).await?)?;
        }
        for machine in machines {
            // One that they do not see now is not theirs to tell of, whatever it was then.
            let is_seen = !is_restricted(scope) || tx.machines(scope).find(*machine).await?.is_some();
            refuse(!is_seen)?;
            refuse(tx.outside(scope).sites_of_machine(*machine, (from, None)).await?)?;
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
        let from = self.clock.now() - OLDEST;
        self.guard_station(tx, scope, station, from).await.map_err(|error| match error.kind {
            Kind::Forbidden => reports_of_others(),
            _ => error,
        })?;
        match tx.outside(scope).has_homeless_facts(station, from).await? {
            true => Err(reports_of_others()),
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
            refuse(tx.outside(scope).sites_of_machine(link.to, time).await?)?;
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
        touched: &[(WorksiteId, (Timestamp, Option<Timestamp>))],
    ) -> Result<(), Error> {
        for (site, time) in touched {
            let is_seen = !is_restricted(scope) || tx.worksites(scope).find_listed(*site).await?.is_some();
            refuse(!is_seen)?;
            refuse(tx.outside(scope).terms_of_site(*site, *time).await?)?;
        }
        let own: Vec<WorksiteId> = touched.iter().map(|(site, _)| *site).collect();
        refuse(tx.outside(scope).facts_of_machine(machine, from, &own).await?)?;
        refuse(match to {
            Some(site) => tx.outside(scope).terms_of_site(site, (from, None)).await?,
            // From now on it is somewhere else, which says nothing of what happened.
            None if from >= self.clock.now() => false,
            None => tx.outside(scope).has_facts_of_machine(machine, from).await?,
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
        is_redrawn: bool,
    ) -> Result<(), Error> {
        if !is_restricted(scope) {
            return Ok(());
        }
        if tx.outside(scope).is_more_than(MAX_SCANNED, from).await? {
            return Err(too_many());
        }
        refuse(tx.outside(scope).facts_of_site(site, from).await?)?;
        if !is_redrawn {
            return Ok(());
        }
        let rows = tx.worksite_terms(scope).boundaries(None).await?;
        let boundaries =
            tokio::task::spawn_blocking(move || read_all(rows)).await.map_err(Error::internal)?;
        let own = boundaries.iter().filter(|(of, _)| *of == site).map(|(_, dated)| &*dated.boundary);
        let ground = around(own);
        let index = Arc::new(SiteIndex::new(boundaries));
        let mut links = Links::default();
        let (mut after, mut seen) = (IncursionId(0), 0);
        loop {
            let page = tx.outside(scope).movable(site, from, ground, after, PAGE).await?;
            let Some(last) = page.last() else { return Ok(()) };
            after = last.id;
            seen += PAGE;
            // Any number will do, so long as it is not that of links that were never read.
            links.bring_up(tx, scope, 1, Arc::clone(&index), &Wanted::of_rows(&page)).await?;
            refuse(page.iter().any(|kept| is_given_or_taken(scope, &links, kept)))?;
            if seen >= MAX_INCURSIONS {
                return Err(too_many());
            }
        }
    }
}

/// Whether an incursion would be attributed otherwise, and is or would be outside.
fn is_given_or_taken(scope: &Scope, links: &Links, kept: &KeptIncursion) -> bool {
    let row = &kept.row;
    let is = links.attribute(row.base_station, row.tag, row.operator_tag, row.place, row.started_at);
    is != row.attribution && (is_beyond(scope, row.attribution.project) || is_beyond(scope, is.project))
}

/// A rectangle around boundaries, a little wider than they are; without any, one in which nothing lies.
fn around<'a>(boundaries: impl Iterator<Item = &'a Boundary>) -> GroundBox {
    let nothing = GroundBox { lat_e7: (1, 0), lon_e7: (1, 0) };
    let boxes = boundaries.map(|boundary| {
        let [west, south, east, north] = boundary.bbox();
        // Degrees are at most 180: far within what an i64 holds.
        let low = |degrees: f64| (degrees * 1e7).floor() as i64 - 1_000;
        let high = |degrees: f64| (degrees * 1e7).ceil() as i64 + 1_000;
        GroundBox { lat_e7: (low(south), high(north)), lon_e7: (low(west), high(east)) }
    });
    boxes.fold(nothing, |all, one| match all == nothing {
        true => one,
        false => GroundBox {
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
        let GroundBox { lat_e7, lon_e7 } = around([&left, &right].into_iter());
        assert!(lat_e7.0 <= 480_000_000 && lat_e7.1 >= 480_100_000, "{lat_e7:?}");
        assert!(lon_e7.0 <= 160_000_000 && lon_e7.1 >= 170_100_000, "{lon_e7:?}");
        let GroundBox { lat_e7, .. } = around(std::iter::empty());
        assert!(lat_e7.0 > lat_e7.1);
    }
}
