//! People and machines at a worksite by the reports of base stations, for its map and its list of assignments.

use domain::access::ReadRegistry;
use domain::{Coordinates, LastSeenAt, MachineId, MachinePosition, PersonName, Span, Timestamp, WorksiteId};
use geography::{Boundary, Position};
use store::{Scope, Tx};

use crate::{App, Caller, Error};

/// The period in which people and machines count as recently seen.
const RECENT_PERIOD: Span = Span::minutes(30 * 24 * 60);
/// Maximum number of people, and of machines, in a response.
const MAX_SEEN: usize = 100;
/// Margin around the bounding box of a boundary in ten-millionths of a degree, because circles are approximated by polygons.
const MARGIN_E7: f64 = 1e5;

/// A machine at a worksite, if its station has reported a position.
#[derive(Clone, Debug)]
pub struct MachineAtWorksite {
    /// The last known position.
    pub position: MachinePosition,
    /// Whether the machine is assigned to the worksite.
    pub assigned: bool,
    /// Whether the position is inside the boundary.
    pub inside: bool,
}

/// People and machines seen at a worksite, the most recent first.
#[derive(Clone, Debug)]
pub struct SeenAtWorksite {
    /// Start of the period.
    pub since: Timestamp,
    pub people: Vec<LastSeenAt<PersonName>>,
    pub machines: Vec<LastSeenAt<(MachineId, String)>>,
    /// Whether there were more people or machines than listed.
    pub more: bool,
}

#[macros::boxed]
impl App {
    /// Lists the people and machines that were recently seen at a worksite that the caller sees.
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

/// Lists the machines at a worksite now: those assigned to it, and those inside it that the caller sees.
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
