//! Who and what is or was at a worksite, as stations tell it: what its map and its list of assignments show besides.

use domain::access::ReadRegistry;
use domain::{Coordinates, MachineId, Span, Timestamp, WorksiteId};
use geography::{Boundary, Position};
use store::{LastSeenAt, MachinePosition, PersonName, Scope, Tx};

use crate::{App, Caller, Error};

/// How far back it is looked.
const RECENT_PERIOD: Span = Span::minutes(30 * 24 * 60);
/// How many people, and how many machines, are told at most.
const MAX_SEEN: usize = 100;
/// What a box of a drawn boundary may lack, in ten-millionths of a degree: a circle is drawn with corners.
const MARGIN_E7: f64 = 1e5;

/// A machine at a worksite, as far as its station tells where it is.
#[derive(Clone, Debug)]
pub struct MachineAtWorksite {
    /// Where it was last.
    pub position: MachinePosition,
    /// Whether it is assigned there.
    pub assigned: bool,
    /// Whether it was inside the boundary.
    pub inside: bool,
}

/// Who and what was seen at a worksite, the last seen first.
#[derive(Clone, Debug)]
pub struct SeenAtWorksite {
    /// From when on.
    pub since: Timestamp,
    /// The people.
    pub people: Vec<LastSeenAt<PersonName>>,
    /// The machines.
    pub machines: Vec<LastSeenAt<(MachineId, String)>>,
    /// Whether there were more of either.
    pub more: bool,
}

impl App {
    /// Who and what was seen of late at a worksite that the caller sees.
    pub async fn list_seen_at_worksite(
        &self,
        caller: &Caller<ReadRegistry>,
        site: WorksiteId,
    ) -> Result<SeenAtWorksite, Error> {
        let (scope, names) = (caller.scope(), caller.names());
        let since = self.clock.now() - RECENT_PERIOD;
        let mut tx = self.store.read().await?;
        tx.worksites(scope).find_without_boundary(site).await?.ok_or_else(|| Error::not_found("worksite"))?;
        let one_more = MAX_SEEN as i64 + 1;
        let mut people = tx.worksite_presence(scope, site).people_seen(since, one_more).await?;
        let mut machines = tx.worksite_presence(scope, site).machines_seen(since, one_more).await?;
        let more = people.len() > MAX_SEEN || machines.len() > MAX_SEEN;
        people.truncate(MAX_SEEN);
        machines.truncate(MAX_SEEN);
        let people =
            people.into_iter().map(|seen| LastSeenAt { subject: names.redact_record(seen.subject), ..seen });
        Ok(SeenAtWorksite { since, people: people.collect(), machines, more })
    }
}

/// The machines at a worksite now: those that are assigned there, and those that the caller sees which were inside.
pub(crate) async fn list_machines_at_worksite(
    tx: &mut Tx,
    scope: &Scope,
    site: WorksiteId,
    boundary: Option<&Boundary>,
) -> Result<Vec<MachineAtWorksite>, Error> {
    let between = boundary.map(|boundary| {
        let [_, south, _, north] = boundary.bbox().map(|degrees| degrees * 1e7);
        ((south - MARGIN_E7) as i32, (north + MARGIN_E7) as i32)
    });
    let found = tx.worksite_presence(scope, site).positions(between).await?;
    let there = found.into_iter().map(|position| MachineAtWorksite {
        assigned: position.worksite == Some(site),
        inside: boundary.is_some_and(|boundary| is_inside(boundary, position.position)),
        position,
    });
    Ok(there.filter(|machine| machine.assigned || machine.inside).collect())
}

fn is_inside(boundary: &Boundary, place: Coordinates) -> bool {
    boundary.contains(Position::from_coordinates(place))
}
