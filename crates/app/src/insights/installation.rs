//! The installation of a worksite or a machine, and the baseline of its drift: alerts and site reports compare with the same weeks.

use domain::insights::Week;
use domain::{Day, Retention, SortedMap, Timestamp};

/// How far back the installation is looked for, in weeks.
pub(crate) const LOOK_BACK_WEEKS: i64 = 260;
/// An installation begins with the first week that has this runtime.
const LEAST_OF_FIRST_MS: i64 = HOUR_MS;
/// The baseline comes from the first four weeks with this runtime among the first eight.
const LEAST_OF_BASELINE_MS: i64 = 5 * HOUR_MS;
const BASELINE_WEEKS: usize = 4;
const BASELINE_WITHIN: i64 = 8;
const HOUR_MS: i64 = 3_600_000;

/// What happened in one week of a site's own calendar.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct WeekTotals {
    pub incursions: i64,
    pub runtime_ms: i64,
}

impl WeekTotals {
    /// Adds what else happened in the week.
    pub fn add(&mut self, more: &mut Self) {
        self.incursions += more.incursions;
        self.runtime_ms += more.runtime_ms;
    }

    /// Returns the incursions and the runtime hours.
    pub fn part(self) -> (u64, f64) {
        (u64::try_from(self.incursions).unwrap_or(0), self.runtime_ms as f64 / HOUR_MS as f64)
    }
}

/// Returns the number of the first week whose facts are known if they are looked at from a day on: before that, they may have been
/// deleted.
pub(crate) fn first_known_week(looked_from: Day, retention: &Retention, now: Timestamp) -> i64 {
    let today = now.seconds().div_euclid(24 * 60 * 60);
    let kept_days = retention.incursions_days.into_iter().chain(retention.runtime_days).min();
    let first = kept_days.map_or(looked_from.number(), |days| looked_from.number().max(today - days));
    Week::of(Day::from_number(first)).number()
}

/// Returns the weeks of the baseline with their numbers, in order, or why there is none. Weeks are known from `first_known` on: if there is
/// runtime at once, the installation may be older. All weeks of the baseline are before `end`.
pub(crate) fn find_baseline(
    weeks: &SortedMap<i64, WeekTotals>,
    first_known: i64,
    end: i64,
) -> Result<Vec<(i64, WeekTotals)>, &'static str> {
    let mut known = weeks.iter().take_while(|(number, _)| **number < end);
    let installed = known.find(|(_, week)| week.runtime_ms >= LEAST_OF_FIRST_MS);
    let (&installed, _) = installed.ok_or("no_runtime")?;
    // The first week may be known in part only, and clocks differ.
    if installed <= first_known + 1 {
        return Err("no_baseline");
    }
    let baseline: Vec<(i64, WeekTotals)> = weeks
        .within(&installed, &((installed + BASELINE_WITHIN).min(end) - 1))
        .filter(|(_, week)| week.runtime_ms >= LEAST_OF_BASELINE_MS)
        .take(BASELINE_WEEKS)
        .map(|(number, week)| (*number, *week))
        .collect();
    if baseline.len() == BASELINE_WEEKS { Ok(baseline) } else { Err("no_baseline") }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Weeks from a number on, with ten incursions in these hours.
    fn weeks(first: i64, hours: &[i64]) -> SortedMap<i64, WeekTotals> {
        let week = |hours: &i64| WeekTotals { incursions: 10, runtime_ms: hours * HOUR_MS };
        (first..).zip(hours.iter().map(week)).collect()
    }

    fn numbers(found: Result<Vec<(i64, WeekTotals)>, &'static str>) -> Result<Vec<i64>, &'static str> {
        found.map(|weeks| weeks.into_iter().map(|(number, _)| number).collect())
    }

    #[test]
    fn the_first_four_weeks_with_enough_runtime_count() {
        let known = weeks(100, &[0, 40, 4, 50, 0, 50, 50, 90]);
        assert_eq!(numbers(find_baseline(&known, 50, 120)), Ok(vec![101, 103, 105, 106]));
        // They must be over.
        assert_eq!(numbers(find_baseline(&known, 50, 107)), Ok(vec![101, 103, 105, 106]));
        assert_eq!(numbers(find_baseline(&known, 50, 106)), Err("no_baseline"));
        assert_eq!(numbers(find_baseline(&known, 50, 101)), Err("no_runtime"));
        // Three among the first eight.
        let few = weeks(100, &[5, 5, 5, 4, 4, 4, 4, 4, 20, 20]);
        assert_eq!(numbers(find_baseline(&few, 50, 120)), Err("no_baseline"));
        assert_eq!(numbers(find_baseline(&weeks(100, &[0; 9]), 50, 120)), Err("no_runtime"));
    }

    #[test]
    fn what_ran_from_the_first_known_week_on_may_be_older() {
        let known = weeks(100, &[40; 9]);
        assert_eq!(numbers(find_baseline(&known, 99, 120)), Err("no_baseline"));
        assert_eq!(numbers(find_baseline(&known, 98, 120)), Ok(vec![100, 101, 102, 103]));
    }

    #[test]
    fn what_was_deleted_is_not_known() {
        let now = Timestamp::parse("2026-03-01T12:00:00Z").unwrap();
        let week = |day: &str| Week::of(Day::parse(day).unwrap()).number();
        let first = |incursions_days: Option<i64>, runtime_days: Option<i64>| {
            let retention = Retention {
                incursions_days,
                runtime_days,
                tracks_days: Some(1),
                events_days: Some(1),
                tests_days: Some(1),
                video_days: Some(1),
            };
            first_known_week(Day::parse("2021-03-01").unwrap(), &retention, now)
        };
        assert_eq!(first(None, None), week("2021-03-01"));
        assert_eq!(first(Some(3_650), None), week("2021-03-01"));
        assert_eq!(first(Some(365), None), week("2025-03-01"));
        assert_eq!(first(Some(365), Some(28)), week("2026-02-01"));
    }
}
