//! Intervals of time series and their buckets.

use std::collections::BTreeSet;

use super::{Dimension, Month, Week};
use crate::{Day, Invalid, PeriodBound, Span, TimeZone, Timestamp};

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
}

/// Returns the first and the last local day that a period touches; `None` if it is empty.
fn local_days(from: PeriodBound, to: PeriodBound, zone: &TimeZone) -> Option<(Day, Day)> {
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
fn hours(from: PeriodBound, to: PeriodBound, zone: &TimeZone) -> BTreeSet<i64> {
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
