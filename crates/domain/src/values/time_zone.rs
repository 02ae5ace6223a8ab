//! Time zones and local time.

use std::fmt;

use serde::{Serialize, Serializer};

use crate::{Invalid, Span, Timestamp};

/// A time zone of the compiled-in IANA database, in the spelling of the database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimeZone(jiff::tz::TimeZone);

impl TimeZone {
    /// Parses the name of a time zone, such as `Europe/Berlin`, in any case.
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let invalid = || {
            Invalid::new(
                "invalid_time_zone",
                "must be a time zone of the IANA database, such as Europe/Berlin",
            )
        };
        // No zone has a longer name, so there is no need to look it up.
        if text.len() > 64 {
            return Err(invalid());
        }
        let zone = jiff::tz::db().get(text).map_err(|_| invalid())?;
        zone.iana_name().is_some().then_some(Self(zone.clone())).ok_or_else(invalid)
    }

    pub fn utc() -> Self {
        Self(jiff::tz::db().get("UTC").unwrap_or(jiff::tz::TimeZone::UTC))
    }

    pub fn as_str(&self) -> &str {
        self.0.iana_name().unwrap_or("UTC")
    }

    /// Returns the offset from UTC at an instant in seconds, positive to the east.
    pub fn offset_s(&self, at: Timestamp) -> i32 {
        let instant = jiff::Timestamp::from_microsecond(at.micros()).unwrap_or_default();
        self.0.to_offset(instant).seconds()
    }

    pub fn local(&self, at: Timestamp) -> LocalTime {
        let seconds = at.seconds() + i64::from(self.offset_s(at));
        LocalTime { day: seconds.div_euclid(86_400), second_of_day: seconds.rem_euclid(86_400) }
    }

    /// Returns the next instant at which local time is on the full hour.
    pub fn next_hour(&self, at: Timestamp) -> Timestamp {
        Timestamp::from_seconds(at.seconds() + 3_600 - self.local(at).second_of_day % 3_600)
    }

    /// Returns the instant at the same local time some weeks earlier. A local time that clocks skipped is moved on by as much; of one
    /// that occurred twice it is the first.
    pub fn weeks_before(&self, at: Timestamp, weeks: i64) -> Timestamp {
        let earlier = || {
            let instant = jiff::Timestamp::from_microsecond(at.micros()).ok()?;
            let weeks = jiff::Span::new().try_weeks(weeks).ok()?;
            let local = self.0.to_datetime(instant).checked_sub(weeks).ok()?;
            Some(Timestamp::from_micros(self.0.to_timestamp(local).ok()?.as_microsecond()))
        };
        earlier().unwrap_or_else(|| at - Span::minutes(weeks * 7 * 24 * 60))
    }

    /// Returns the underlying zone for calculations.
    pub fn rules(&self) -> &jiff::tz::TimeZone {
        &self.0
    }
}

/// The local date and time of day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LocalTime {
    /// Days since 1970-01-01.
    pub day: i64,
    /// Seconds since midnight by the local clock, not elapsed time.
    pub second_of_day: i64,
}

impl LocalTime {
    /// Returns the hour, 0 to 23.
    pub const fn hour(self) -> i64 {
        self.second_of_day / 3_600
    }

    /// Returns the minutes since Monday 0:00.
    pub const fn minute_of_week(self) -> i64 {
        // 1 January 1970 was a Thursday.
        (self.day + 3).rem_euclid(7) * 1_440 + self.second_of_day / 60
    }
}

impl fmt::Display for TimeZone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_str().fmt(f)
    }
}

impl Serialize for TimeZone {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_follow_the_zone_across_a_change() {
        let berlin = TimeZone::parse("Europe/Berlin").unwrap();
        let at = |text: &str| berlin.local(Timestamp::parse(text).unwrap());
        // 2026-03-29 is a Sunday, day 20541; clocks go forward from 2:00 to 3:00.
        let (before, after) = (at("2026-03-29T00:59:59Z"), at("2026-03-29T01:00:00Z"));
        assert_eq!((before.day, before.hour(), before.second_of_day % 3_600), (20_541, 1, 3_599));
        assert_eq!((after.day, after.hour()), (20_541, 3));
        assert_eq!(after.minute_of_week(), 6 * 1_440 + 3 * 60);
        assert_eq!(at("2026-03-29T22:00:00Z").minute_of_week(), 0);
        assert_eq!(at("1969-12-31T22:59:59Z").day, -1);
    }

    #[test]
    fn weeks_earlier_the_clock_shows_the_same() {
        let berlin = TimeZone::parse("Europe/Berlin").unwrap();
        for (at, weeks, earlier) in [
            ("2026-03-11T12:00:00Z", 1, "2026-03-04T12:00:00Z"),
            ("2026-03-30T10:00:00.5Z", 1, "2026-03-23T11:00:00.5Z"),
            ("2026-10-26T11:00:00Z", 4, "2026-09-28T10:00:00Z"),
            // 2:30 was skipped, and occurred twice.
            ("2026-04-05T00:30:00Z", 1, "2026-03-29T01:30:00Z"),
            ("2026-11-01T01:30:00Z", 1, "2026-10-25T00:30:00Z"),
        ] {
            let at = Timestamp::parse(at).unwrap();
            assert_eq!(berlin.weeks_before(at, weeks).to_string(), earlier, "{at}");
        }
    }

    #[test]
    fn zones_are_those_of_the_database_in_its_spelling() {
        assert_eq!(TimeZone::parse("europe/berlin").unwrap().as_str(), "Europe/Berlin");
        assert_eq!(TimeZone::parse("UTC").unwrap().as_str(), "UTC");
        for bad in ["", "Mars/Olympus", "Europe", "+02:00", "../etc/passwd", "Etc/Unknown", &"x".repeat(100)]
        {
            assert_eq!(
                TimeZone::parse(bad).map_err(|invalid| invalid.code),
                Err("invalid_time_zone"),
                "{bad}"
            );
        }
    }
}
