//! The hours of the week that a period contains.

use std::collections::BTreeSet;

use super::interval::{hours, local_days};
use super::{Interval, NoValueReason};
use crate::{Day, PeriodBound, TimeZone, Timestamp};

/// Which hours of the week a period contains, in any of the time zones of its worksites.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HoursOfWeek {
    /// From Monday 0:00 on.
    hours: [HourOfWeek; HOURS],
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct HourOfWeek {
    /// The period contains such an hour that has begun.
    has_begun: bool,
    /// The period contains such an hour that has not begun.
    is_ahead: bool,
    /// On one of the days of the period, such an hour is cut, has not ended, or is missing.
    is_partial: bool,
}

const HOURS: usize = 7 * 24;
/// A period with this many days contains every hour of the week, even if clocks skip one of them.
const DAYS_WITH_EVERY_HOUR: i64 = 15;

impl HoursOfWeek {
    /// Returns the hours of the week in a period at the time `now`.
    pub fn of(from: PeriodBound, to: PeriodBound, now: Timestamp, zones: &[TimeZone]) -> Self {
        let mut found = Self { hours: [HourOfWeek::default(); HOURS] };
        for zone in zones {
            found.add(from, to, now, zone);
        }
        found
    }

    /// Returns why an hour of the week has no value; none if the period contains it. Days are counted from Monday, which is 0.
    pub fn no_value_reason(&self, weekday: i64, hour: i64) -> Option<NoValueReason> {
        match self.hours[place(weekday, hour)] {
            HourOfWeek { has_begun: true, .. } => None,
            HourOfWeek { is_ahead: true, .. } => Some(NoValueReason::NotYet),
            _ => Some(NoValueReason::NotInPeriod),
        }
    }

    /// Whether the period lacks an hour of the week, or a part of it, on one of its days: it begins or ends on that day, or the
    /// day has not ended. Days are counted from Monday, which is 0.
    pub fn is_partial(&self, weekday: i64, hour: i64) -> bool {
        self.hours[place(weekday, hour)].is_partial
    }

    fn add(&mut self, from: PeriodBound, to: PeriodBound, now: Timestamp, zone: &TimeZone) {
        let Some((first, last)) = local_days(from, to, zone) else { return };
        let (first, last) = (first.number(), last.number());
        let running = Interval::Hour.bucket_of(zone.local(now));
        let today = running.div_euclid(24);
        let last_begun = last.min(today);
        // The bounds of the period, or those of the day where it goes on.
        let start = |day: i64| if day == first { from } else { PeriodBound::Day(Day::from_number(day)) };
        let end = |day: i64| if day == last { to } else { PeriodBound::Day(Day::from_number(day + 1)) };
        let keys: BTreeSet<i64> = if last_begun - first >= DAYS_WITH_EVERY_HOUR {
            // Only the first and the last day need a closer look.
            self.hours.iter_mut().for_each(|hour| hour.has_begun = true);
            let mut keys = hours(from, end(first), zone);
            keys.extend(hours(start(last_begun), end(last_begun), zone));
            keys
        } else {
            let horizon = last.min(today.max(first) + DAYS_WITH_EVERY_HOUR);
            hours(from, end(horizon), zone)
        };
        let cut = [Interval::Hour.cut_bucket(from, zone), Interval::Hour.cut_bucket(to, zone), Some(running)];
        for key in &keys {
            let hour = self.hour_mut(*key);
            hour.has_begun |= *key <= running;
            hour.is_ahead |= *key > running;
            hour.is_partial |= cut.contains(&Some(*key));
        }
        let earliest = keys.first().copied().filter(|key| *key <= running);
        let latest = keys.range(..=running).next_back().copied();
        if let (Some(earliest), Some(latest)) = (earliest, latest) {
            let before = first * 24..earliest;
            let after = latest + 1..(latest.div_euclid(24) + 1) * 24;
            before.chain(after).for_each(|key| self.hour_mut(key).is_partial = true);
        }
    }

    /// Returns the hour of the week of a local hour, counted in hours from 1970-01-01 on.
    fn hour_mut(&mut self, key: i64) -> &mut HourOfWeek {
        // 1 January 1970 was a Thursday.
        &mut self.hours[place(key.div_euclid(24) + 3, key)]
    }
}

fn place(weekday: i64, hour: i64) -> usize {
    usize::try_from(weekday.rem_euclid(7) * 24 + hour.rem_euclid(24)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hours_of(from: &str, to: &str, now: &str, zones: &[&str]) -> HoursOfWeek {
        let zones: Vec<TimeZone> = zones.iter().map(|zone| TimeZone::parse(zone).unwrap()).collect();
        let bound = |text: &str| PeriodBound::parse(text).unwrap();
        HoursOfWeek::of(bound(from), bound(to), Timestamp::parse(now).unwrap(), &zones)
    }

    /// Returns the hours of a weekday without a value, with the reason, and those that are partial.
    fn described(found: &HoursOfWeek, weekday: i64) -> (Vec<(i64, NoValueReason)>, Vec<i64>) {
        let missing = (0..24).filter_map(|hour| Some((hour, found.no_value_reason(weekday, hour)?)));
        (missing.collect(), (0..24).filter(|hour| found.is_partial(weekday, *hour)).collect())
    }

    #[test]
    fn what_the_period_does_not_contain_has_no_value() {
        // From Saturday to Monday, 17:09.
        let now = "2026-11-16T17:09:00Z";
        let found = hours_of("2026-11-14", now, now, &["UTC"]);
        for weekday in 1..5 {
            let (missing, partial) = described(&found, weekday);
            assert_eq!((missing.len(), partial.len()), (24, 0), "{weekday}");
            assert!(missing.iter().all(|(_, reason)| *reason == NoValueReason::NotInPeriod));
        }
        for weekday in [5, 6] {
            assert_eq!(described(&found, weekday), (vec![], vec![]), "{weekday}");
        }
        let evening: Vec<_> = (18..24).map(|hour| (hour, NoValueReason::NotInPeriod)).collect();
        assert_eq!(described(&found, 0), (evening, (17..24).collect()));
        // The same days as a period that has not ended.
        let found = hours_of("2026-11-14", "2026-11-17", now, &["UTC"]);
        let evening: Vec<_> = (18..24).map(|hour| (hour, NoValueReason::NotYet)).collect();
        assert_eq!(described(&found, 0), (evening, (17..24).collect()));
        // Nothing of next week has come.
        let found = hours_of("2026-11-23", "2026-11-24", now, &["UTC"]);
        let monday: Vec<_> = (0..24).map(|hour| (hour, NoValueReason::NotYet)).collect();
        assert_eq!(described(&found, 0), (monday, vec![]));
    }

    #[test]
    fn the_rest_of_a_running_day_is_partial() {
        let now = "2026-11-16T17:09:00Z";
        for from in ["2026-11-09", "2026-10-20", "2022-10-20"] {
            let found = hours_of(from, now, now, &["UTC"]);
            assert_eq!(described(&found, 0), (vec![], (17..24).collect()), "{from}");
            for weekday in 1..7 {
                assert_eq!(described(&found, weekday), (vec![], vec![]), "{from} {weekday}");
            }
        }
        // A period that begins and ends inside days.
        let found = hours_of("2026-10-20T08:30:00Z", "2026-11-12T10:00:00Z", now, &["UTC"]);
        assert_eq!(described(&found, 1).1, (0..9).collect::<Vec<i64>>());
        assert_eq!(described(&found, 3).1, (10..24).collect::<Vec<i64>>());
        assert!(described(&found, 0).1.is_empty());
    }

    #[test]
    fn an_hour_that_clocks_skip_is_not_in_the_period() {
        let later = "2026-12-01T00:00:00Z";
        let sunday = |zones: &[&str]| described(&hours_of("2026-03-28", "2026-03-31", later, zones), 6);
        assert_eq!(sunday(&["Europe/London"]), (vec![(1, NoValueReason::NotInPeriod)], vec![]));
        // In UTC there is this hour.
        assert_eq!(sunday(&["Europe/London", "UTC"]), (vec![], vec![]));
    }
}
