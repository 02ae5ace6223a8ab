//! The window of time in which a rule counts.

use crate::insights::Week;
use crate::{Day, Invalid, Span, TimeZone, Timestamp};

/// A window that begins anew with each day or week of the site's own clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CalendarUnit {
    Day,
    /// Starts on Monday.
    Week,
}

impl CalendarUnit {
    pub const ALL: [Self; 2] = [Self::Day, Self::Week];

    /// Returns the value stored in tables and sent in API responses.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Day => "day",
            Self::Week => "week",
        }
    }

    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let found = Self::ALL.into_iter().find(|unit| unit.as_str() == text);
        found.ok_or_else(|| Invalid::new("invalid_window", "must be day or week"))
    }
}

/// The window in which a rule counts; it always ends now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AlertWindow {
    Rolling { minutes: i64 },
    Calendar(CalendarUnit),
}

impl AlertWindow {
    /// 30 days.
    pub const MAX_MINUTES: i64 = 43_200;

    /// Returns the first local day of a calendar window at this time, by a clock.
    pub fn first_day(unit: CalendarUnit, now: Timestamp, zone: &TimeZone) -> Day {
        let today = Day::from_number(zone.local(now).day);
        match unit {
            CalendarUnit::Day => today,
            CalendarUnit::Week => Week::of(today).first_day(),
        }
    }

    /// Returns the beginning of the window that ends at `now`.
    pub fn start(self, now: Timestamp, zone: &TimeZone) -> Timestamp {
        match self {
            Self::Rolling { minutes } => now - Span::minutes(minutes),
            Self::Calendar(unit) => Self::first_day(unit, now, zone).start_in(zone),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_go_both_ways() {
        for unit in CalendarUnit::ALL {
            assert_eq!(CalendarUnit::parse(unit.as_str()), Ok(unit));
        }
        for bad in ["", "month", "Day", "days"] {
            let code = CalendarUnit::parse(bad).map_err(|invalid| invalid.code);
            assert_eq!(code, Err("invalid_window"), "{bad}");
        }
    }

    #[test]
    fn windows_begin_by_the_clock_of_the_site() {
        let rolling = |minutes| AlertWindow::Rolling { minutes };
        let (day, week) =
            (AlertWindow::Calendar(CalendarUnit::Day), AlertWindow::Calendar(CalendarUnit::Week));
        for (window, now, zone, start) in [
            (rolling(60), "2026-03-29T01:30:00Z", "Europe/Berlin", "2026-03-29T00:30:00Z"),
            (rolling(43_200), "2026-03-31T12:00:00Z", "UTC", "2026-03-01T12:00:00Z"),
            (day, "2026-03-11T12:00:00Z", "UTC", "2026-03-11T00:00:00Z"),
            // A day of 23 hours, and the one after it.
            (day, "2026-03-29T21:59:00Z", "Europe/Berlin", "2026-03-28T23:00:00Z"),
            (day, "2026-03-29T22:00:00Z", "Europe/Berlin", "2026-03-29T22:00:00Z"),
            // Already Monday in Auckland, still Sunday in Honolulu.
            (week, "2026-03-08T12:00:00Z", "Pacific/Auckland", "2026-03-08T11:00:00Z"),
            (week, "2026-03-09T09:00:00Z", "Pacific/Honolulu", "2026-03-02T10:00:00Z"),
            (week, "2026-03-09T00:00:00Z", "UTC", "2026-03-09T00:00:00Z"),
            (week, "2026-03-08T23:59:59Z", "UTC", "2026-03-02T00:00:00Z"),
            // The week that clocks change in.
            (week, "2026-10-25T22:59:00Z", "Europe/Berlin", "2026-10-18T22:00:00Z"),
        ] {
            let found = window.start(Timestamp::parse(now).unwrap(), &TimeZone::parse(zone).unwrap());
            assert_eq!(found.to_string(), start, "{window:?} at {now} in {zone}");
        }
    }

    #[test]
    fn a_week_begins_on_its_monday() {
        let monday = Day::parse("2026-03-02").unwrap();
        for days in 0..7 {
            let now = monday.midnight_utc() + Span::minutes(days * 1_440 + 600);
            assert_eq!(AlertWindow::first_day(CalendarUnit::Week, now, &TimeZone::utc()), monday, "{days}");
        }
    }
}
