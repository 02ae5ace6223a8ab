//! The hours, days and weeks of a period, by a clock.

use domain::insights::{Interval, Week};
use domain::{Day, Span, TimeZone, Timestamp};

/// An hour, day or week.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::alerts) struct Bucket {
    pub begins_at: Timestamp,
    /// Whether it begins before the period, or ends after it.
    pub is_partial: bool,
}

/// Returns the hours, days or weeks of which a part lies in a period. Months are cut into weeks.
pub(in crate::alerts) fn buckets(
    interval: Interval,
    (from, to): (Timestamp, Timestamp),
    zone: &TimeZone,
) -> Vec<Bucket> {
    let mut buckets: Vec<Bucket> = Vec::new();
    let mut begins_at = beginning(interval, from, zone);
    while begins_at < to {
        let mut ends_at = ending(interval, begins_at, zone);
        // Clocks that are set back by a day would never get on.
        if ends_at <= begins_at {
            ends_at = begins_at + Span::minutes(60);
        }
        buckets.push(Bucket { begins_at, is_partial: begins_at < from || ends_at > to });
        begins_at = ends_at;
    }
    buckets
}

fn beginning(interval: Interval, at: Timestamp, zone: &TimeZone) -> Timestamp {
    let local = zone.local(at);
    match interval {
        Interval::Hour => {
            let into_second = at.micros().rem_euclid(1_000_000);
            at - Span::seconds(local.second_of_day % 3_600) - Span::from_micros(into_second)
        }
        Interval::Day => Day::from_number(local.day).start_in(zone),
        Interval::Week | Interval::Month => Week::of(Day::from_number(local.day)).first_day().start_in(zone),
    }
}

fn ending(interval: Interval, begins_at: Timestamp, zone: &TimeZone) -> Timestamp {
    let day = zone.local(begins_at).day;
    match interval {
        Interval::Hour => zone.next_hour(begins_at),
        Interval::Day => Day::from_number(day + 1).start_in(zone),
        Interval::Week | Interval::Month => Day::from_number(day + 7).start_in(zone),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        Timestamp::parse(text).unwrap()
    }

    fn found(interval: Interval, from: &str, to: &str, zone: &str) -> Vec<(String, bool)> {
        let zone = TimeZone::parse(zone).unwrap();
        let all = buckets(interval, (at(from), at(to)), &zone);
        all.iter().map(|bucket| (bucket.begins_at.to_string(), bucket.is_partial)).collect()
    }

    fn expected(of: &[(&str, bool)]) -> Vec<(String, bool)> {
        of.iter().map(|(text, is_partial)| ((*text).to_owned(), *is_partial)).collect()
    }

    #[test]
    fn days_are_those_of_the_clock() {
        // Clocks go forward on 29 March.
        assert_eq!(
            found(Interval::Day, "2026-03-28T12:00:00Z", "2026-03-30T22:00:00Z", "Europe/Berlin"),
            expected(&[
                ("2026-03-27T23:00:00Z", true),
                ("2026-03-28T23:00:00Z", false),
                ("2026-03-29T22:00:00Z", false),
            ])
        );
    }

    #[test]
    fn hours_and_weeks_are_too() {
        assert_eq!(
            found(Interval::Hour, "2026-03-01T12:00:00.5Z", "2026-03-01T13:40:00Z", "Asia/Kolkata"),
            expected(&[
                ("2026-03-01T11:30:00Z", true),
                ("2026-03-01T12:30:00Z", false),
                ("2026-03-01T13:30:00Z", true),
            ])
        );
        assert_eq!(
            found(Interval::Week, "2026-03-02T00:00:00Z", "2026-03-10T00:00:00Z", "UTC"),
            expected(&[("2026-03-02T00:00:00Z", false), ("2026-03-09T00:00:00Z", true)])
        );
        assert!(found(Interval::Day, "2026-03-02T00:00:00Z", "2026-03-02T00:00:00Z", "UTC").is_empty());
    }
}
