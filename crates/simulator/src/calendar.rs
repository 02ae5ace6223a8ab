//! The local days of a site: when they are, and whether anyone works.
//!
//! Days are counted from the day before the plan begins in UTC, so that every zone's first day is among them. All times of
//! a day are told from its midnight as the clocks of its noon would have it: where clocks change, they do so before anyone comes.

use domain::{TimeZone, Timestamp};
use jiff::ToSpan;
use jiff::civil::{Date, Weekday};

/// How many local days there are beyond those of a plan: one before, and two after, by which the last window is complete.
pub(crate) const EXTRA_DAYS: usize = 3;

/// A local day.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LocalDay {
    pub date: Date,
    /// Midnight, in milliseconds since 1970.
    pub midnight_ms: i64,
    /// Nobody works: storm, heat, flood.
    pub is_off: bool,
}

impl LocalDay {
    /// So many minutes after midnight.
    pub fn at_minute(&self, minute: f64) -> i64 {
        self.midnight_ms + (minute * 60_000.0) as i64
    }

    pub fn weekday(&self) -> Weekday {
        self.date.weekday()
    }

    /// The date as devices write it: 20260301.
    pub fn stamp(&self) -> String {
        format!("{:04}{:02}{:02}", self.date.year(), self.date.month(), self.date.day())
    }
}

/// The days of a zone that a plan needs, from the day before it begins; `is_off` is asked once for each.
pub(crate) fn local_days(
    from: Timestamp,
    days: usize,
    zone: &TimeZone,
    mut is_off: impl FnMut() -> bool,
) -> Vec<LocalDay> {
    let first = jiff::Timestamp::from_microsecond(from.micros()).unwrap_or_default();
    let mut date = jiff::tz::TimeZone::UTC.to_datetime(first).date().saturating_sub(1.day());
    let mut found = Vec::with_capacity(days + EXTRA_DAYS);
    for _ in 0..days + EXTRA_DAYS {
        let noon = date.at(12, 0, 0, 0).to_zoned(zone.rules().clone());
        // Only at the end of the calendar a noon has no instant.
        let noon_ms = noon.map_or(0, |noon| noon.timestamp().as_millisecond());
        found.push(LocalDay { date, midnight_ms: noon_ms - 12 * 3_600_000, is_off: is_off() });
        date = date.saturating_add(1.day());
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_that_change_move_the_working_day() {
        let from = Timestamp::parse("2026-03-28T12:00:00Z").unwrap();
        let days = local_days(from, 2, &TimeZone::parse("Europe/Berlin").unwrap(), || false);
        let seven: Vec<String> =
            days.iter().map(|day| crate::checked_values::at_ms(day.at_minute(420.0)).to_string()).collect();
        assert_eq!(
            seven,
            [
                "2026-03-27T06:00:00Z",
                "2026-03-28T06:00:00Z",
                "2026-03-29T05:00:00Z",
                "2026-03-30T05:00:00Z",
                "2026-03-31T05:00:00Z"
            ]
        );
        assert_eq!((days[2].stamp().as_str(), days[2].weekday()), ("20260329", Weekday::Sunday));
    }
}
