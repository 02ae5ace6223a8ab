//! The base stations of a brand by their status, as the last poll found them.

use std::sync::Arc;
use std::time::Duration;

use domain::base_station::silence_cutoff;
use domain::{ProjectId, StationTrouble, StatusCounts, Timestamp};
use store::{ProjectStatusCounts, Projects, Scope, TroubledStation, Tx};
use tokio::time::Instant;

use crate::Error;

/// The most faulty and silent stations that streams report.
const MAX_STATIONS: usize = 500;
/// Stations are counted at most this often: a large brand has many, and few of them change.
const MIN_INTERVAL: Duration = Duration::from_secs(2);

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Devices {
    counts: Vec<ProjectStatusCounts>,
    /// In the order of their ids, each with the project in which its machine is.
    troubled: Vec<(StationTrouble, Option<ProjectId>)>,
    has_more: bool,
}

/// What streams report to a caller of the base stations that they see.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DeviceStates {
    pub counts: StatusCounts,
    /// Faulty and silent stations, in the order of their ids.
    pub troubled: Vec<StationTrouble>,
    /// Whether some of the brand are left out.
    pub has_more: bool,
}

impl Devices {
    /// Returns the states of the stations that someone sees who sees these projects.
    pub fn visible_in(&self, projects: &Projects) -> DeviceStates {
        let is_visible = |project: Option<ProjectId>| match projects {
            Projects::All => true,
            Projects::Only(seen) => project.is_some_and(|id| seen.contains(&id)),
        };
        let mut counts = StatusCounts::default();
        for of_project in self.counts.iter().filter(|one| is_visible(one.project)) {
            counts.add(&of_project.counts);
        }
        let troubled = self.troubled.iter().filter(|(_, project)| is_visible(*project));
        let troubled = troubled.map(|(station, _)| station.clone()).collect();
        DeviceStates { counts, troubled, has_more: self.has_more }
    }
}

/// Looks at the base stations of a brand.
#[derive(Default)]
pub(super) struct DevicesPoll {
    last_look: Option<Instant>,
    pub current: Option<Arc<Devices>>,
}

impl DevicesPoll {
    /// Reads the states if the last poll was long enough ago, and returns whether they have changed.
    pub async fn poll(&mut self, tx: &mut Tx, scope: &Scope, now: Timestamp) -> Result<bool, Error> {
        if self.last_look.is_some_and(|last| last.elapsed() < MIN_INTERVAL) {
            return Ok(false);
        }
        let began = Instant::now();
        let silence_limit_hours = tx.brand_settings(scope).await?.values.silence_limit_hours;
        let silent_from = silence_cutoff(silence_limit_hours, now);
        let counts = tx.station_states(scope).counts(silent_from).await?;
        let limit = i64::try_from(MAX_STATIONS + 1).unwrap_or(i64::MAX);
        let mut found = tx.station_states(scope).troubled(silent_from, limit).await?;
        let has_more = found.len() > MAX_STATIONS;
        found.truncate(MAX_STATIONS);
        let troubled = found.into_iter().map(|station| trouble(station, silence_limit_hours, now)).collect();
        self.last_look = Some(began);
        let devices = Devices { counts, troubled, has_more };
        if self.current.as_deref() == Some(&devices) {
            return Ok(false);
        }
        self.current = Some(Arc::new(devices));
        Ok(true)
    }
}

fn trouble(
    station: TroubledStation,
    silence_limit_hours: i64,
    now: Timestamp,
) -> (StationTrouble, Option<ProjectId>) {
    let health = station.heartbeat.health(silence_limit_hours, now);
    let trouble = StationTrouble {
        id: station.id,
        serial: station.serial,
        machine: station.machine,
        status: health.status,
        since: health.since,
    };
    (trouble, station.project)
}

#[cfg(test)]
mod tests {
    use domain::{BaseStationId, StationStatus};

    use super::*;

    #[test]
    fn a_restricted_reader_sees_the_stations_of_their_projects() {
        let counts = |project: Option<i64>, online: i64| ProjectStatusCounts {
            project: project.map(ProjectId),
            counts: StatusCounts { online, silent: 1, ..StatusCounts::default() },
        };
        let station = |id: i64, project: Option<i64>| {
            let trouble = StationTrouble {
                id: BaseStationId(id),
                serial: format!("ST-{id}"),
                machine: None,
                status: StationStatus::Silent,
                since: None,
            };
            (trouble, project.map(ProjectId))
        };
        let devices = Devices {
            counts: vec![counts(None, 1), counts(Some(1), 2), counts(Some(2), 4)],
            troubled: vec![station(7, Some(1)), station(8, None), station(9, Some(2))],
            has_more: false,
        };
        let seen = |projects: Projects| {
            let visible = devices.visible_in(&projects);
            let ids: Vec<i64> = visible.troubled.iter().map(|one| one.id.0).collect();
            (visible.counts.online, visible.counts.silent, ids)
        };
        assert_eq!(seen(Projects::All), (7, 3, vec![7, 8, 9]));
        assert_eq!(seen(Projects::Only(vec![ProjectId(1)])), (2, 1, vec![7]));
        assert_eq!(seen(Projects::Only(Vec::new())), (0, 0, vec![]));
    }
}
