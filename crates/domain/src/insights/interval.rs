//! Intervals of time series and their buckets.

use std::collections::BTreeSet;

use super::{Dimension, Month, Week};
use crate::{Day, Invalid, LocalTime, PeriodBound, Span, TimeZone, Timestamp};

/// The length of a bucket, in each worksite's local time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Interval {
    Hour,
    Day,
    /// Starts on Monday.
    Week,
    Month,
}

impl Interval {
    pub const ALL: [Self; 4] = [Self::Hour, Self::Day, Self::Week, Self::Month];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Hour => "hour",
            Self::Day => "day",
            Self::Week => "week",
            Self::Month => "month",
        }
    }

    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let found = Self::ALL.into_iter().find(|interval| interval.as_str() == text);
        found.ok_or_else(|| Invalid::new("invalid_interval", "must be hour, day, week or month"))
    }

    /// Returns the dimension that groups facts into these buckets.
    pub const fn dimension(self) -> Dimension {
        match self {
            Self::Hour => Dimension::Hour,
            Self::Day => Dimension::Day,
            Self::Week => Dimension::Week,
            Self::Month => Dimension::Month,
        }
    }

    /// Returns the interval whose buckets a dimension has, if it is one of time.
    pub fn of_dimension(dimension: Dimension) -> Option<Self> {
        Self::ALL.into_iter().find(|interval| interval.dimension() == dimension)
    }

    /// Returns an upper bound for the number of buckets in a period.
    pub fn max_buckets(self, from: PeriodBound, to: PeriodBound) -> i64 {
        let (first, last) = (from.midnight_or_instant(), to.midnight_or_instant());
        let hours = (last - first).micros().max(0) / Span::minutes(60).micros() + 50;
        match self {
            Self::Hour => hours,
            Self::Day => hours / 24 + 2,
            Self::Week => hours / (24 * 7) + 2,
            Self::Month => hours / (24 * 28) + 2,
        }
    }

    /// Returns the keys of all buckets that a period touches in any of these time zones, in order, whether or not they contain
    /// facts. A local hour that is skipped when clocks change has no bucket; one that is repeated has one.
    pub fn bucket_keys(self, from: PeriodBound, to: PeriodBound, zones: &[TimeZone]) -> Vec<i64> {
        let mut steps = BTreeSet::new();
        for zone in zones {
            let Some((first, last)) = local_days(from, to, zone) else { continue };
            let days = (first.number()..=last.number()).map(Day::from_number);
            match self {
                Self::Hour => steps.extend(hours(from, to, zone)),
                Self::Day => steps.extend(days.map(Day::number)),
                Self::Week => steps.extend(days.map(|day| Week::of(day).number())),
                Self::Month => steps.extend(days.map(|day| Month::of(day).number())),
            }
        }
        steps.into_iter().collect()
    }

    /// Returns the buckets that do not contain all their facts, in any of these time zones.
    pub fn partial_buckets(
        self,
        from: PeriodBound,
        to: PeriodBound,
        now: Timestamp,
        zones: &[TimeZone],
    ) -> PartialBuckets {
        let cut = zones.iter().flat_map(|zone| [self.cut_bucket(from, zone), self.cut_bucket(to, zone)]);
        let running = || zones.iter().map(|zone| self.bucket_of(zone.local(now)));
        PartialBuckets {
            cut: cut.flatten().collect(),
            first_unfinished: running().min().unwrap_or(i64::MAX),
            last_begun: running().max().unwrap_or(i64::MAX),
        }
    }

    /// Returns the bucket inside which a bound lies, unless it lies between two.
    pub(super) fn cut_bucket(self, bound: PeriodBound, zone: &TimeZone) -> Option<i64> {
        let (before, after) = match bound {
            PeriodBound::Instant(at) => (zone.local(at - Span::from_micros(1)), zone.local(at)),
            PeriodBound::Day(day) => (
                LocalTime { day: day.number() - 1, second_of_day: 86_399 },
                LocalTime { day: day.number(), second_of_day: 0 },
            ),
        };
        let bucket = self.bucket_of(after);
        (self.bucket_of(before) == bucket).then_some(bucket)
    }

    /// Returns the key of the bucket that contains a local time.
    pub(super) const fn bucket_of(self, local: LocalTime) -> i64 {
        match self {
            Self::Hour => local.day * 24 + local.hour(),
            Self::Day => local.day,
            Self::Week => Week::of(Day::from_number(local.day)).number(),
            Self::Month => Month::of(Day::from_number(local.day)).number(),
        }
    }

    /// Formats the start of a bucket as a local date, for hours with the time.
    pub fn label(self, key: i64) -> String {
        match self {
            Self::Hour => {
                format!("{}T{:02}:00", Day::from_number(key.div_euclid(24)), key.rem_euclid(24))
            }
            Self::Day => Day::from_number(key).to_string(),
            Self::Week => Week::from_number(key).first_day().to_string(),
            Self::Month => Month::from_number(key).first_day().to_string(),
        }
    }

    /// Returns the key of the bucket with a label; the inverse of [`Interval::label`].
    pub fn parse_label(self, label: &str) -> Option<i64> {
        let (date, clock) = label.split_once('T').unwrap_or((label, "00"));
        let hour: i64 = clock.get(..2)?.parse().ok()?;
        let local = LocalTime { day: Day::parse(date).ok()?.number(), second_of_day: hour * 3_600 };
        Some(self.bucket_of(local))
    }
}

/// The buckets of a period that do not contain all their facts: the period cuts them, or they have not ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartialBuckets {
    cut: BTreeSet<i64>,
    /// The key of the first bucket that has not ended.
    first_unfinished: i64,
    /// The key of the last bucket that has begun in one of the time zones.
    last_begun: i64,
}

impl PartialBuckets {
    pub fn contains(&self, key: i64) -> bool {
        key >= self.first_unfinished || self.cut.contains(&key)
    }

    /// Whether a bucket has begun in one of the time zones. Before that there is nothing to count, not even zero.
    pub fn has_begun(&self, key: i64) -> bool {
        key <= self.last_begun
    }
}

/// Returns the first and the last local day that a period touches; `None` if it is empty.
pub(super) fn local_days(from: PeriodBound, to: PeriodBound, zone: &TimeZone) -> Option<(Day, Day)> {
    let first = match from {
        PeriodBound::Instant(at) => Day::from_number(zone.local(at).day),
        PeriodBound::Day(day) => day,
    };
    let last = match to {
        // The end is exclusive.
        PeriodBound::Instant(at) => Day::from_number(zone.local(at - Span::from_micros(1)).day),
        PeriodBound::Day(day) => Day::from_number(day.number() - 1),
    };
    (first <= last).then_some((first, last))
}

/// Returns the local hours that a period touches. Sampling every quarter of an hour misses none, since clocks change by half an
/// hour or more.
pub(super) fn hours(from: PeriodBound, to: PeriodBound, zone: &TimeZone) -> BTreeSet<i64> {
    const STEP: Span = Span::minutes(15);
    let day = Span::minutes(24 * 60);
    let first = match from {
        PeriodBound::Instant(at) => at,
        PeriodBound::Day(_) => from.midnight_or_instant() - day,
    };
    let end = match to {
        PeriodBound::Instant(at) => at,
        PeriodBound::Day(_) => to.midnight_or_instant() + day,
    };
    let fits = |local_day: i64| {
        let after = match from {
            PeriodBound::Instant(_) => true,
            PeriodBound::Day(day) => local_day >= day.number(),
        };
        let before = match to {
            PeriodBound::Instant(_) => true,
            PeriodBound::Day(day) => local_day < day.number(),
        };
        after && before
    };
    let mut hours = BTreeSet::new();
    let mut insert = |at: Timestamp| {
        let local = zone.local(at);
        if fits(local.day) {
            hours.insert(local.day * 24 + local.hour());
        }
    };
    let mut at = first;
    while at < end {
        insert(at);
        at = at + STEP;
    }
    if first < end {
        insert(end - Span::from_micros(1));
    }
    hours
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str) -> PeriodBound {
        PeriodBound::parse(text).unwrap()
    }

    fn labels(interval: Interval, from: &str, to: &str, zones: &[&str]) -> Vec<String> {
        let zones: Vec<TimeZone> = zones.iter().map(|zone| TimeZone::parse(zone).unwrap()).collect();
        interval.bucket_keys(cut(from), cut(to), &zones).into_iter().map(|key| interval.label(key)).collect()
    }

    #[test]
    fn a_skipped_hour_is_absent_and_a_repeated_one_is_one() {
        let london = &["Europe/London"];
        let spring = labels(Interval::Hour, "2026-03-29", "2026-03-30", london);
        assert_eq!(spring.len(), 23);
        assert!(!spring.contains(&"2026-03-29T01:00".to_owned()));
        let autumn = labels(Interval::Hour, "2026-10-25", "2026-10-26", london);
        assert_eq!(autumn.len(), 24);
        // UTC has this hour: a bucket is left out only if every zone skips it.
        let both = labels(Interval::Hour, "2026-03-29", "2026-03-30", &["Europe/London", "UTC"]);
        assert_eq!(both.len(), 24);
        // Only half of this hour is skipped, so its bucket exists.
        let lord_howe = labels(Interval::Hour, "2026-10-04", "2026-10-05", &["Australia/Lord_Howe"]);
        assert_eq!(lord_howe.len(), 24);
    }

    #[test]
    fn steps_are_those_of_every_clock() {
        let days = labels(
            Interval::Day,
            "2026-03-01T11:00:00Z",
            "2026-03-01T12:00:00Z",
            &["Pacific/Auckland", "UTC"],
        );
        assert_eq!(days, ["2026-03-01", "2026-03-02"]);
        let hours = labels(Interval::Hour, "2026-03-01T11:30:00Z", "2026-03-01T13:00:00.000001Z", &["UTC"]);
        assert_eq!(hours, ["2026-03-01T11:00", "2026-03-01T12:00", "2026-03-01T13:00"]);
        assert_eq!(
            labels(Interval::Week, "2026-03-01", "2026-03-03", &["UTC"]),
            ["2026-02-23", "2026-03-02"]
        );
        assert_eq!(
            labels(Interval::Month, "2026-01-31", "2026-03-01", &["UTC"]),
            ["2026-01-01", "2026-02-01"]
        );
        assert!(labels(Interval::Day, "2026-03-01", "2026-03-01", &["UTC"]).is_empty());
    }

    /// Returns the labels of the partial buckets of a period.
    fn partial(interval: Interval, from: &str, to: &str, now: &str, zones: &[&str]) -> Vec<String> {
        let zones: Vec<TimeZone> = zones.iter().map(|zone| TimeZone::parse(zone).unwrap()).collect();
        let now = Timestamp::parse(now).unwrap();
        let partial = interval.partial_buckets(cut(from), cut(to), now, &zones);
        let keys = interval.bucket_keys(cut(from), cut(to), &zones).into_iter();
        keys.filter(|key| partial.contains(*key)).map(|key| interval.label(key)).collect()
    }

    #[test]
    fn labels_go_both_ways() {
        for interval in Interval::ALL {
            for key in [-1_000, -1, 0, 1, 20_513, 20_514] {
                assert_eq!(interval.parse_label(&interval.label(key)), Some(key), "{interval:?} {key}");
            }
            assert_eq!(interval.parse_label("Unknown"), None);
            assert_eq!(Interval::of_dimension(interval.dimension()), Some(interval));
        }
        assert_eq!(Interval::of_dimension(Dimension::HourOfDay), None);
    }

    #[test]
    fn a_step_that_is_cut_is_partial() {
        let later = "2026-12-01T00:00:00Z";
        let of = |interval, from, to| partial(interval, from, to, later, &["UTC"]);
        assert!(of(Interval::Day, "2026-03-01", "2026-03-04").is_empty());
        assert!(of(Interval::Hour, "2026-03-01", "2026-03-02").is_empty());
        // Midnight does not cut a day, whatever it is called.
        assert!(of(Interval::Day, "2026-03-01T00:00:00Z", "2026-03-04T00:00:00Z").is_empty());
        assert_eq!(
            of(Interval::Day, "2026-03-01T00:00:00.000001Z", "2026-03-04T12:00:00Z"),
            ["2026-03-01", "2026-03-04"]
        );
        assert_eq!(of(Interval::Hour, "2026-03-01T10:30:00Z", "2026-03-01T13:00:00Z"), ["2026-03-01T10:00"]);
        // From Monday to Monday, and from Tuesday to Tuesday.
        assert!(of(Interval::Week, "2026-03-02", "2026-03-16").is_empty());
        assert_eq!(of(Interval::Week, "2026-03-03", "2026-03-17"), ["2026-03-02", "2026-03-16"]);
        assert!(of(Interval::Month, "2024-02-01", "2024-03-01").is_empty());
        assert_eq!(of(Interval::Month, "2024-02-01", "2024-02-29"), ["2024-02-01"]);
        // Midnight in Berlin is inside a day of London.
        let zones = &["Europe/Berlin", "Europe/London"];
        assert_eq!(
            partial(Interval::Day, "2026-02-28T23:00:00Z", "2026-03-02", later, zones),
            ["2026-02-28"]
        );
        assert!(partial(Interval::Day, "2026-02-28T23:00:00Z", "2026-03-02", later, &zones[..1]).is_empty());
    }

    #[test]
    fn a_step_that_is_not_over_is_partial() {
        let now = "2026-03-04T11:30:00Z";
        let of = |interval, to, zones: &[&str]| partial(interval, "2026-02-23", to, now, zones);
        assert_eq!(of(Interval::Day, now, &["UTC"]), ["2026-03-04"]);
        // Tomorrow has not even begun.
        assert_eq!(of(Interval::Day, "2026-03-06", &["UTC"]), ["2026-03-04", "2026-03-05"]);
        assert!(of(Interval::Day, "2026-03-04", &["UTC"]).is_empty());
        assert_eq!(of(Interval::Week, "2026-03-09", &["UTC"]), ["2026-03-02"]);
        // 4 March is over in Auckland, but not in London.
        assert!(of(Interval::Day, "2026-03-05", &["Pacific/Auckland"]).is_empty());
        assert_eq!(of(Interval::Day, "2026-03-05", &["Pacific/Auckland", "Europe/London"]), ["2026-03-04"]);
    }

    #[test]
    fn a_step_has_begun_if_it_has_begun_anywhere() {
        let now = "2026-03-04T11:30:00Z";
        let begun = |interval: Interval, zones: &[&str]| -> Vec<String> {
            let zones: Vec<TimeZone> = zones.iter().map(|zone| TimeZone::parse(zone).unwrap()).collect();
            let (from, to) = (cut("2026-03-03"), cut("2026-03-12"));
            let partial = interval.partial_buckets(from, to, Timestamp::parse(now).unwrap(), &zones);
            let keys = interval.bucket_keys(from, to, &zones).into_iter();
            keys.filter(|key| partial.has_begun(*key)).map(|key| interval.label(key)).collect()
        };
        assert_eq!(begun(Interval::Day, &["UTC"]), ["2026-03-03", "2026-03-04"]);
        assert_eq!(begun(Interval::Week, &["UTC"]), ["2026-03-02"]);
        // 5 March has begun in Auckland.
        let zones = &["UTC", "Pacific/Auckland"];
        assert_eq!(begun(Interval::Day, zones), ["2026-03-03", "2026-03-04", "2026-03-05"]);
    }

    #[test]
    fn a_repeated_hour_is_partial_if_only_one_of_the_two_counts() {
        let later = "2026-12-01T00:00:00Z";
        let london = &["Europe/London"];
        // 1:00 in London occurs at 0:00 and at 1:00 in UTC.
        let cut_between = partial(Interval::Hour, "2026-10-25", "2026-10-25T01:00:00Z", later, london);
        assert_eq!(cut_between, ["2026-10-25T01:00"]);
        assert!(partial(Interval::Hour, "2026-10-25", "2026-10-25T02:00:00Z", later, london).is_empty());
        // No hour is cut where one is skipped.
        assert!(partial(Interval::Hour, "2026-03-29", "2026-03-29T01:00:00Z", later, london).is_empty());
    }

    #[test]
    fn there_are_never_more_steps_than_said() {
        for (from, to) in [
            ("2026-01-01", "2026-12-31"),
            ("2026-03-29", "2026-03-30"),
            ("2026-03-01T11:59:00Z", "2026-03-01T12:01:00Z"),
        ] {
            for interval in Interval::ALL {
                let steps =
                    labels(interval, from, to, &["Pacific/Auckland", "America/New_York", "UTC"]).len();
                assert!(
                    steps as i64 <= interval.max_buckets(cut(from), cut(to)),
                    "{interval:?} {from} {steps}"
                );
            }
        }
    }
}
