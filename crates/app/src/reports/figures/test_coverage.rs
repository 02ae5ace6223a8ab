//! Which days and incursions the tests of a tag cover.

use std::collections::BTreeMap;

use domain::insights::Week;
use domain::{Day, Span, TimeZone, Timestamp};

use super::TestWeekFigure;

/// The tests of a tag in order of time: when, and whether it passed.
#[derive(Debug, Default)]
pub(super) struct TestHistory(Vec<(Timestamp, bool)>);

impl TestHistory {
    /// Adds a test that is not earlier than those before it.
    pub fn push(&mut self, tested_at: Timestamp, passed: bool) {
        self.0.push((tested_at, passed));
    }

    /// Returns the last test at or before an instant.
    pub fn last_at(&self, at: Timestamp) -> Option<(Timestamp, bool)> {
        let place = self.0.partition_point(|(tested_at, _)| *tested_at <= at);
        place.checked_sub(1).and_then(|place| self.0.get(place)).copied()
    }

    /// Whether the last test at that time was passed less than an interval ago, as by `TagThresholds`.
    pub fn is_in_test(&self, at: Timestamp, interval: Span) -> bool {
        self.last_at(at).is_some_and(|(tested_at, passed)| passed && at - tested_at < interval)
    }

    /// Counts the tests in `[from, to)`, and those that passed.
    pub fn count(&self, (from, to): (Timestamp, Timestamp)) -> (i64, i64) {
        let within = self.0.iter().filter(|(at, _)| *at >= from && *at < to);
        within.fold((0, 0), |(tests, passed), (_, is_passed)| (tests + 1, passed + i64::from(*is_passed)))
    }
}

/// The local days of a period, each with its beginning and end.
#[derive(Debug)]
pub(super) struct Calendar {
    first: i64,
    /// The beginning of each day, and the end of the last.
    starts: Vec<Timestamp>,
    pub from: Timestamp,
    pub to: Timestamp,
}

impl Calendar {
    /// Returns the days that `[from, to)` touches.
    pub fn new((from, to): (Timestamp, Timestamp), zone: &TimeZone) -> Self {
        let first = zone.local(from).day;
        let last = zone.local(to - Span::from_micros(1)).day.max(first);
        let starts = (first..=last + 1).map(|day| Day::from_number(day).start_in(zone)).collect();
        Self { first, starts, from, to }
    }

    /// Adds the days on which a tag was worn during `[from, until)`, each with the last moment.
    pub fn add_worn(
        &self,
        worn: &mut BTreeMap<i64, Timestamp>,
        (from, until): (Timestamp, Option<Timestamp>),
    ) {
        let (from, until) = (from.max(self.from), until.map_or(self.to, |until| until.min(self.to)));
        if from >= until {
            return;
        }
        let first = self.starts.partition_point(|start| *start <= from).saturating_sub(1);
        for (day, start, end) in self.days_from(first) {
            if start >= until {
                return;
            }
            let last = end.min(until);
            worn.entry(day).and_modify(|known| *known = last.max(*known)).or_insert(last);
        }
    }

    fn days_from(&self, place: usize) -> impl Iterator<Item = (i64, Timestamp, Timestamp)> + '_ {
        let pairs = self.starts.windows(2).zip(self.first..).skip(place);
        pairs.filter_map(|(pair, day)| Some((day, *pair.first()?, *pair.get(1)?)))
    }
}

/// Days on which tags were worn, by week.
#[derive(Debug, Default)]
pub(super) struct WornWeeks(BTreeMap<i64, (i64, i64)>);

impl WornWeeks {
    /// Adds the worn days of a tag and returns how many there were, and how many of them were covered: those at whose last moment
    /// the tag was in test.
    pub fn add(
        &mut self,
        worn: &BTreeMap<i64, Timestamp>,
        tests: &TestHistory,
        interval: Span,
    ) -> (i64, i64) {
        let (mut days, mut covered) = (0, 0);
        for (day, last) in worn {
            let is_covered = tests.is_in_test(*last - Span::from_micros(1), interval);
            let week = self.0.entry(Week::of(Day::from_number(*day)).number()).or_default();
            (days, covered) = (days + 1, covered + i64::from(is_covered));
            *week = (week.0 + 1, week.1 + i64::from(is_covered));
        }
        (days, covered)
    }

    pub fn into_figures(self) -> Vec<TestWeekFigure> {
        let week = |(week, (worn_days, covered_days))| TestWeekFigure { week, worn_days, covered_days };
        self.0.into_iter().map(week).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        Timestamp::parse(text).unwrap()
    }

    fn days(count: i64) -> Span {
        Span::minutes(count * 24 * 60)
    }

    #[test]
    fn a_tag_is_in_test_from_a_passed_test_until_the_interval_is_over() {
        let mut tests = TestHistory::default();
        tests.push(at("2026-02-02T07:00:00Z"), true);
        tests.push(at("2026-02-05T07:00:00Z"), false);
        tests.push(at("2026-02-06T07:00:00Z"), true);
        for (time, is_in_test) in [
            ("2026-02-02T06:59:59Z", false),
            ("2026-02-02T07:00:00Z", true),
            ("2026-02-05T06:59:59Z", true),
            ("2026-02-05T07:00:00Z", false),
            ("2026-02-13T06:59:59Z", true),
            ("2026-02-13T07:00:00Z", false),
        ] {
            assert_eq!(tests.is_in_test(at(time), days(7)), is_in_test, "{time}");
        }
        assert_eq!(tests.count((at("2026-02-03T00:00:00Z"), at("2026-02-07T00:00:00Z"))), (2, 1));
        assert_eq!(tests.last_at(at("2026-02-01T00:00:00Z")), None);
    }

    #[test]
    fn worn_days_are_local_and_counted_once() {
        let zone = TimeZone::parse("Europe/Berlin").unwrap();
        // From Sunday to Tuesday in Berlin.
        let calendar = Calendar::new((at("2026-02-28T23:00:00Z"), at("2026-03-03T23:00:00Z")), &zone);
        let mut worn = BTreeMap::new();
        calendar.add_worn(&mut worn, (at("2026-03-01T22:30:00Z"), Some(at("2026-03-01T23:30:00Z"))));
        calendar.add_worn(&mut worn, (at("2026-03-02T10:00:00Z"), None));
        let found: Vec<(i64, String)> = worn.iter().map(|(day, last)| (*day, last.to_string())).collect();
        let sunday = Day::parse("2026-03-01").unwrap().number();
        let ends = ["2026-03-01T23:00:00Z", "2026-03-02T23:00:00Z", "2026-03-03T23:00:00Z"];
        let expected: Vec<(i64, String)> = (sunday..).zip(ends.map(str::to_owned)).collect();
        assert_eq!(found, expected);

        let mut tests = TestHistory::default();
        tests.push(at("2026-03-02T06:00:00Z"), true);
        let mut weeks = WornWeeks::default();
        assert_eq!(weeks.add(&worn, &tests, days(1)), (3, 1));
        let weeks: Vec<(i64, i64)> =
            weeks.into_figures().iter().map(|week| (week.worn_days, week.covered_days)).collect();
        assert_eq!(weeks, [(1, 0), (2, 1)]);
    }

    #[test]
    fn what_was_worn_outside_the_period_does_not_count() {
        let calendar =
            Calendar::new((at("2026-03-01T00:00:00Z"), at("2026-03-03T00:00:00Z")), &TimeZone::utc());
        let mut worn = BTreeMap::new();
        calendar.add_worn(&mut worn, (at("2026-02-01T00:00:00Z"), Some(at("2026-03-01T00:00:00Z"))));
        calendar.add_worn(&mut worn, (at("2026-03-03T00:00:00Z"), None));
        assert!(worn.is_empty());
        calendar.add_worn(&mut worn, (at("2026-02-01T00:00:00Z"), None));
        assert_eq!(worn.len(), 2);
    }
}
