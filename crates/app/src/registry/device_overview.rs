//! How many base stations and tags need attention, without the details of each that lists show.

use std::cmp::Reverse;

use domain::access::ReadRegistry;
use domain::{
    BaseStation, BaseStationFilter, Sorting, StationHealth, StationStatus, TagFilter, TagFlag, Window,
    WindowPosition, base_station, sorted,
};
use store::ExcludedWearers;

use crate::{App, Caller, Error};

#[derive(Clone, Debug)]
pub struct StationOverview {
    /// Some of the base stations that are silent or faulty, the last to become so first.
    pub troubled: Vec<(BaseStation, StationHealth)>,
    /// The number of all silent or faulty ones.
    pub troubled_total: i64,
    pub total: i64,
}

/// Numbers of tags by their test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TagOverview {
    pub overdue: i64,
    pub due: i64,
    pub never_tested: i64,
}

/// The number of silent or faulty stations among which the last to become so are looked for.
const MAX_TROUBLED: u16 = 10_000;

#[macros::boxed]
impl App {
    /// Counts the base stations that the caller sees, and returns some of those that are silent or faulty.
    pub async fn station_overview(
        &self,
        caller: &Caller<ReadRegistry>,
        max_troubled: usize,
    ) -> Result<StationOverview, Error> {
        let (scope, now) = (caller.scope(), self.clock.now());
        let mut tx = self.store.read().await?;
        let limit = tx.brand_settings(scope).await?.values.silence_limit_hours;
        let silent_from = base_station::silence_cutoff(limit, now);
        let statuses = vec![StationStatus::Silent, StationStatus::Faulty];
        let (all, in_trouble) =
            (BaseStationFilter::default(), BaseStationFilter { statuses, ..BaseStationFilter::default() });
        let window = Window { size: MAX_TROUBLED, position: WindowPosition::Start };
        let mut stations = tx.base_stations(scope);
        let found = stations.slice(&in_trouble, silent_from, Sorting::default(), &window).await?;
        let troubled_total = match found.next {
            None => i64::try_from(found.rows.len()).map_err(Error::internal)?,
            Some(_) => stations.count(&in_trouble, silent_from).await?,
        };
        let total = stations.count(&all, silent_from).await?;
        let health = |station: BaseStation| {
            let health = station.heartbeat.health(limit, now);
            (station, health)
        };
        let mut troubled: Vec<(BaseStation, StationHealth)> = found.rows.into_iter().map(health).collect();
        sorted::sort_by_key(&mut troubled, |(_, health)| Reverse(health.since));
        troubled.truncate(max_troubled);
        Ok(StationOverview { troubled, troubled_total, total })
    }

    /// Counts the brand's tags whose test is overdue or due, or that were never tested.
    pub async fn tag_overview(&self, caller: &Caller<ReadRegistry>) -> Result<TagOverview, Error> {
        let scope = caller.scope();
        let mut tx = self.store.read().await?;
        let limits = self.tag_limits(&mut tx, scope).await?;
        let mut numbers = [0; 3];
        let flags = [TagFlag::TestOverdue, TagFlag::TestDue, TagFlag::NeverTested];
        for (number, flag) in numbers.iter_mut().zip(flags) {
            let filter = TagFilter { flags: vec![flag], ..TagFilter::default() };
            *number = tx.tags_in_detail(scope).count(&filter, &ExcludedWearers::Nobody, &limits).await?;
        }
        let [overdue, due, never_tested] = numbers;
        Ok(TagOverview { overdue, due, never_tested })
    }
}
