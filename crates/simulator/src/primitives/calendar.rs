//! The local days of a worksite, and whether anyone works on them.
//!
//! Days are counted from the day before the plan begins in UTC, so that the first day of every time zone is included. All times of a day
//! are relative to its midnight, computed with the UTC offset at noon: where clocks change, they do so before anyone arrives.

use domain::{TimeZone, Timestamp};
use jiff::ToSpan;
use jiff::civil::{Date, Weekday};

/// The number of local days in addition to those of a plan: one before, and two after, which complete the last window.
pub(crate) const EXTRA_DAYS: usize = 3;

#[derive(Clone, Copy, Debug)]
pub(crate) struct LocalDay {
    pub date: Date,
    /// Midnight, in milliseconds since 1970.
    pub midnight_ms: i64,
    /// Nobody works because of storm, heat or flood.
    pub is_off: bool,
}

impl LocalDay {
    /// Returns the time at a number of minutes after midnight.
    pub fn at_minute(&self, minute: f64) -> i64 {
        self.midnight_ms + (minute * 60_000.0) as i64
    }

    pub fn weekday(&self) -> Weekday {
        self.date.weekday()
    }

    /// Returns the date in the form that devices use: 20260301.
    pub fn stamp(&self) -> String {
        format!("{:04}{:02}{:02}", self.date.year(), self.date.month(), self.date.day())
    }
}

/// Returns the days of a time zone that a plan needs, from the day before it begins. `is_off` is called once for each.
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
        // Only at the end of the calendar is there no instant for noon.
        let noon_ms = noon.map_or(0, |noon| noon.timestamp().as_millisecond());
        found.push(LocalDay { date, midnight_ms: noon_ms - 12 * 3_600_000, is_off: is_off() });
        date = date.saturating_add(1.day());
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::primitives::checked_values::at_ms;

    #[test]
    fn clocks_that_change_move_the_working_day() {
        let from = Timestamp::parse("2026-03-28T12:00:00Z").unwrap();
        let days = local_days(from, 2, &TimeZone::parse("Europe/Berlin").unwrap(), || false);
        let seven: Vec<String> = days.iter().map(|day| at_ms(day.at_minute(420.0)).to_string()).collect();
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
