//! Devices and data: silent stations, days without data, zones that were changed.

use std::collections::BTreeMap;

use domain::base_station::silence_cutoff;
use domain::insights::{Interval, Measure};
use domain::{BaseStationFilter, BaseStationId, MachineId, StationZones, Timestamp};
use narrative::{ComparedWith, Fact, FactKind, FactUnit, FactZone, Subject, SubjectKind};

use super::comparisons::{compare, new_fact};
use super::counts::unsigned;
use super::facts::Basis;
use crate::reports::figures::GroupView;
use crate::{App, Error};

/// Ids in one statement.
const BATCH: usize = 200;
/// How many silent stations are named.
const MAX_NAMED: usize = 20;
/// A weekday is a working day if there is data on at least this share of its days, in a period of at least so many days.
const WORKING_SHARE: f64 = 0.5;
const MIN_DAYS: usize = 14;

/// A beginning, and an end that is excluded, or none.
type TimeRange = (Timestamp, Option<Timestamp>);

impl App {
    /// Returns facts about devices, gaps and settings.
    pub(super) async fn device_facts(&self, basis: &Basis<'_>) -> Result<Vec<Fact>, Error> {
        let mut facts: Vec<Fact> = Vec::new();
        facts.extend(self.silent_stations_fact(basis).await?);
        facts.extend(days_without_data(basis));
        facts.extend(self.zone_changes(basis).await?);
        Ok(facts)
    }

    /// Returns how many of the stations on the machines of the worksite are silent now; none if there are no stations.
    async fn silent_stations_fact(&self, basis: &Basis<'_>) -> Result<Option<Fact>, Error> {
        let scope = &basis.author.scope;
        let mut tx = self.store.read().await?;
        let assigned = tx.machine_assignments(scope).open_at(basis.worksite).await?;
        let machines: Vec<MachineId> = assigned.iter().map(|one| one.machine).collect();
        let limit = tx.brand_settings(scope).await?.values.silence_limit_hours;
        let silent_from = silence_cutoff(limit, self.clock.now());
        let mut all = 0;
        for some in machines.chunks(BATCH) {
            let filter = BaseStationFilter { machines: some.to_vec(), ..BaseStationFilter::default() };
            all += tx.base_stations(scope).count(&filter, silent_from).await?;
        }
        let silent = &basis.figures.silent;
        let all = unsigned(Some(all)).max(silent.len() as u64);
        if all == 0 {
            return Ok(None);
        }
        let subject = |id: i64| Subject { kind: SubjectKind::BaseStation, id };
        Ok(Some(Fact {
            subjects: silent.iter().take(MAX_NAMED).map(|one| subject(one.base_station)).collect(),
            denominator: Some(all as f64),
            ..new_fact(FactKind::SilentStations, FactUnit::Count, silent.len() as f64, 0)
        }))
    }

    /// Returns the last change of the zones of each machine with incursions in the period, while it was assigned to the worksite and the
    /// station was installed on it.
    async fn zone_changes(&self, basis: &Basis<'_>) -> Result<Vec<Fact>, Error> {
        let scope = &basis.author.scope;
        let (from, to) = (basis.from.earliest(), basis.to.latest());
        let machines = basis.figures.groups("main", "by_machine");
        let mut facts = Vec::new();
        let mut tx = self.store.read().await?;
        for machine in machines.iter().filter_map(|group| group.key(0)).map(MachineId) {
            let assigned = tx.machine_assignments(scope).since(machine, from).await?;
            let here: Vec<TimeRange> = assigned
                .iter()
                .filter(|one| one.worksite == basis.worksite)
                .map(|one| (one.from, one.to))
                .collect();
            if here.is_empty() {
                continue;
            }
            let installed = tx.station_installations(scope).on_machine(machine, from, to).await?;
            let mut stations: Vec<BaseStationId> = installed.iter().map(|one| one.base_station).collect();
            stations.sort_unstable();
            stations.dedup();
            let mut changes = Vec::new();
            for station in stations {
                let zones = tx.station_zones(scope).since(station, from).await?;
                let mounted: Vec<TimeRange> = installed
                    .iter()
                    .filter(|one| one.base_station == station)
                    .map(|one| (one.from, one.to))
                    .collect();
                let is_within = |zones: &StationZones| {
                    let at = zones.from;
                    at > from && at < to && is_in_any(&here, at) && is_in_any(&mounted, at)
                };
                changes.extend(zone_change(&zones, is_within));
            }
            let subject = Subject { kind: SubjectKind::Machine, id: machine.0 };
            let last = changes.into_iter().max_by_key(|change| change.0);
            facts.extend(last.map(|(_, fact)| Fact { subjects: vec![subject], ..fact }));
        }
        Ok(facts)
    }
}

/// Whether an instant is in one of several ranges.
fn is_in_any(ranges: &[TimeRange], at: Timestamp) -> bool {
    ranges.iter().any(|(from, to)| *from <= at && to.is_none_or(|to| at < to))
}

/// Returns the last change of a radius among the zones of a station, which are in order of time, with its time.
fn zone_change(
    zones: &[StationZones],
    is_within: impl Fn(&StationZones) -> bool,
) -> Option<(Timestamp, Fact)> {
    let mut before: BTreeMap<&str, &StationZones> = BTreeMap::new();
    let mut last = None;
    for zone in zones {
        let earlier = before.insert(zone.zones.antenna.as_str(), zone);
        let Some(earlier) = earlier.filter(|_| is_within(zone)) else { continue };
        let (now, then) = (&zone.zones, &earlier.zones);
        let danger = (FactZone::Danger, now.danger.centimetres(), then.danger.centimetres());
        let warning = (FactZone::Warning, now.warning.centimetres(), then.warning.centimetres());
        let changed = [danger, warning].into_iter().find(|(_, now, then)| now != then);
        if let Some((which, now, then)) = changed {
            let (now, then) = (now as f64 / 100.0, then as f64 / 100.0);
            let comparison = compare(ComparedWith::BeforeChange, FactUnit::Metres, now, then);
            let fact = new_fact(FactKind::ZoneSizeChanged, FactUnit::Metres, now, 1);
            last = Some((zone.from, Fact { zone: Some(which), comparison: Some(comparison), ..fact }));
        }
    }
    last
}

/// Returns how many working days have neither incursions nor runtime; none if there are none, or if the period is too short to tell.
fn days_without_data(basis: &Basis<'_>) -> Option<Fact> {
    let groups = basis.figures.groups("main", "by_day");
    let has_data = |group: &&GroupView<'_>| {
        group.incursions() > 0 || unsigned(group.figure(Measure::RuntimeHours).numerator) > 0
    };
    let with_data: Vec<i64> = groups.iter().filter(has_data).filter_map(|group| group.key(0)).collect();
    let answer = basis.figures.answer("main")?.result();
    let partial = answer.partial_buckets(Interval::Day);
    let days = Interval::Day.bucket_keys(basis.from, basis.to, &answer.time_zones);
    let days: Vec<i64> = days.into_iter().filter(|day| !partial.contains(*day)).collect();
    gaps(&days, &with_data)
}

/// Returns the working days without data.
fn gaps(days: &[i64], with_data: &[i64]) -> Option<Fact> {
    if days.len() < MIN_DAYS {
        return None;
    }
    // 1 January 1970 was a Thursday.
    let weekday = |day: i64| (day + 3).rem_euclid(7);
    let is_working = |day: i64| {
        let same: Vec<i64> = days.iter().copied().filter(|other| weekday(*other) == weekday(day)).collect();
        let busy = same.iter().filter(|other| with_data.contains(other)).count();
        busy as f64 >= same.len() as f64 * WORKING_SHARE
    };
    let working: Vec<i64> = days.iter().copied().filter(|day| is_working(*day)).collect();
    let empty = working.iter().filter(|day| !with_data.contains(day)).count();
    let fact = || new_fact(FactKind::DaysWithoutData, FactUnit::Days, empty as f64, 0);
    (empty > 0).then(|| Fact { denominator: Some(working.len() as f64), ..fact() })
}

#[cfg(test)]
mod tests {
    use domain::{AntennaZones, PartName, ZoneRadius};

    use super::*;

    #[test]
    fn weekends_are_no_gaps() {
        // Four weeks from a Monday; two Wednesdays without data.
        let days: Vec<i64> = (4..32).collect();
        let with_data: Vec<i64> =
            days.iter().copied().filter(|day| (day + 3) % 7 < 5 && ![6, 20].contains(day)).collect();
        let fact = gaps(&days, &with_data).unwrap();
        assert_eq!((fact.value, fact.denominator), (2.0, Some(20.0)));
        assert_eq!(gaps(&days[..10], &with_data), None);
        assert_eq!(gaps(&days, &days), None);
    }

    #[test]
    fn ranges_exclude_their_ends() {
        let at = Timestamp::from_seconds;
        let ranges = [(at(10), Some(at(20))), (at(30), None)];
        let is_within = |seconds: i64| is_in_any(&ranges, at(seconds));
        assert_eq!([9, 10, 19, 20, 29, 30, 99].map(is_within), [false, true, true, false, false, true, true]);
        assert!(!is_in_any(&[], at(10)));
    }

    #[test]
    fn the_last_change_of_a_zone_is_told() {
        let zones = |id: i64, at: i64, warning: f64, danger: f64| StationZones {
            id,
            base_station: BaseStationId(1),
            zones: AntennaZones {
                antenna: PartName::parse("front").unwrap(),
                warning: ZoneRadius::from_metres(warning).unwrap(),
                danger: ZoneRadius::from_metres(danger).unwrap(),
            },
            from: Timestamp::from_seconds(at),
            to: None,
            created_at: Timestamp::from_seconds(at),
            updated_at: Timestamp::from_seconds(at),
        };
        let all = [zones(1, 10, 6.0, 4.0), zones(2, 20, 8.0, 4.0), zones(3, 30, 8.0, 3.0)];
        let (at, fact) = zone_change(&all, |_| true).unwrap();
        assert_eq!((at, fact.value, fact.zone), (Timestamp::from_seconds(30), 3.0, Some(FactZone::Danger)));
        let (_, fact) = zone_change(&all[..2], |_| true).unwrap();
        assert_eq!((fact.value, fact.zone), (8.0, Some(FactZone::Warning)));
        assert!(zone_change(&all[..1], |_| true).is_none());
        assert!(zone_change(&all, |_| false).is_none());
    }
}
