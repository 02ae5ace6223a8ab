//! Calendar days.

use std::fmt;

use serde::{Serialize, Serializer};

use crate::values::rfc3339;
use crate::{Invalid, TimeZone, Timestamp};

/// A calendar day without a time zone, counted from 1970-01-01; usually a worksite's local day.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Day(i64);

impl Day {
    pub const fn from_number(number: i64) -> Self {
        Self(number)
    }

    /// Returns the number of days since 1970-01-01.
    pub const fn number(self) -> i64 {
        self.0
    }

    /// Parses a date such as `2026-03-01`.
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let invalid = || Invalid::new("invalid_time", "must be a date, such as 2026-03-01");
        // jiff accepts other notations of a date as well; the API does not.
        if text.len() != 10 {
            return Err(invalid());
        }
        let date: jiff::civil::Date = text.parse().map_err(|_| invalid())?;
        let since = date.since(jiff::civil::date(1970, 1, 1)).map_err(|_| invalid())?;
        Ok(Self(i64::from(since.get_days())))
    }

    /// Returns the instant at which the day begins in a time zone.
    pub fn start_in(self, zone: &TimeZone) -> Timestamp {
        let start = || {
            let days = jiff::Span::new().try_days(self.0).ok()?;
            let midnight = jiff::civil::date(1970, 1, 1).checked_add(days).ok()?.at(0, 0, 0, 0);
            Some(Timestamp::from_micros(zone.rules().to_timestamp(midnight).ok()?.as_microsecond()))
        };
        start().unwrap_or_else(|| self.midnight_utc())
    }

    /// Returns the start of the day in UTC.
    pub const fn midnight_utc(self) -> Timestamp {
        Timestamp::from_seconds(self.0.saturating_mul(24 * 60 * 60))
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match rfc3339::date(self.0) {
            Some(text) => f.write_str(text.as_str()),
            None => write!(f, "day {}", self.0),
        }
    }
}

impl Serialize for Day {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match rfc3339::date(self.0) {
            Some(text) => serializer.serialize_str(text.as_str()),
            None => serializer.collect_str(self),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PeriodBound;

    #[test]
    fn days_begin_at_local_midnight() {
        let start = |name: &str, day: &str| {
            Day::parse(day).unwrap().start_in(&TimeZone::parse(name).unwrap()).to_string()
        };
        assert_eq!(start("UTC", "2026-03-01"), "2026-03-01T00:00:00Z");
        assert_eq!(start("Europe/Berlin", "2026-03-29"), "2026-03-28T23:00:00Z");
        assert_eq!(start("Europe/Berlin", "2026-03-30"), "2026-03-29T22:00:00Z");
        // There the clocks skip midnight: the day begins at one.
        assert_eq!(start("America/Asuncion", "2024-10-06"), "2024-10-06T04:00:00Z");
    }

    #[test]
    fn dates_go_both_ways() {
        for text in ["1970-01-01", "2024-02-29", "1969-12-31", "9999-12-31"] {
            assert_eq!(Day::parse(text).unwrap().to_string(), text);
        }
        assert_eq!(Day::parse("1970-02-01"), Ok(Day(31)));
        for bad in ["", "20260301", "2026-3-1", "2026-02-30", "2026-03-01T", "heute", "10.03.2026"] {
            assert!(Day::parse(bad).is_err(), "{bad}");
            assert_eq!(PeriodBound::parse(bad).unwrap_err().code, "invalid_time", "{bad}");
        }
        assert!(PeriodBound::parse("2026-03-01T08:00:00").is_err());
    }
}
