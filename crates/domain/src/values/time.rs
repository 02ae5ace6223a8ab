//! Instants and spans as integer microseconds, the same in both database engines and in columns.

use std::fmt;
use std::ops::{Add, Sub};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::Invalid;
use crate::values::rfc3339;

/// An instant: microseconds since the UNIX epoch, UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(i64);

/// A length of time in microseconds; may be negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span(i64);

impl Timestamp {
    pub const fn from_micros(micros: i64) -> Self {
        Self(micros)
    }

    pub const fn from_seconds(seconds: i64) -> Self {
        Self(seconds * 1_000_000)
    }

    pub const fn micros(self) -> i64 {
        self.0
    }

    /// Returns whole seconds since the epoch, rounded down.
    pub const fn seconds(self) -> i64 {
        self.0.div_euclid(1_000_000)
    }

    /// Returns the start of the UTC minute that contains this instant.
    pub const fn truncate_to_minute(self) -> Self {
        Self(self.0.div_euclid(60_000_000) * 60_000_000)
    }

    /// Returns the calendar year in UTC.
    pub fn year(self) -> i64 {
        let at = jiff::Timestamp::from_microsecond(self.0).unwrap_or_default();
        i64::from(jiff::tz::TimeZone::UTC.to_datetime(at).year())
    }

    /// Parses an RFC 3339 time with an offset.
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        text.parse::<jiff::Timestamp>().map(|at| Self(at.as_microsecond())).map_err(|_| {
            Invalid::new(
                "invalid_time",
                "must be an RFC 3339 time with an offset, such as 2026-03-01T08:00:00Z",
            )
        })
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match rfc3339::instant(self.0) {
            Some(text) => f.write_str(text.as_str()),
            None => write!(f, "{}us", self.0),
        }
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match rfc3339::instant(self.0) {
            Some(text) => serializer.serialize_str(text.as_str()),
            None => serializer.collect_str(self),
        }
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).map_err(serde::de::Error::custom)
    }
}

impl Span {
    pub const ZERO: Self = Self(0);

    pub const fn from_micros(micros: i64) -> Self {
        Self(micros)
    }

    pub const fn seconds(seconds: i64) -> Self {
        Self(seconds * 1_000_000)
    }

    pub const fn millis(millis: i64) -> Self {
        Self(millis * 1_000)
    }

    pub const fn minutes(minutes: i64) -> Self {
        Self::seconds(minutes * 60)
    }

    pub const fn micros(self) -> i64 {
        self.0
    }

    /// Returns whole seconds, rounded down.
    pub const fn whole_seconds(self) -> i64 {
        self.0.div_euclid(1_000_000)
    }

    /// Returns whole seconds, rounded up, as needed for a minimum waiting time.
    pub const fn ceil_seconds(self) -> i64 {
        self.0.div_euclid(1_000_000) + (self.0.rem_euclid(1_000_000) != 0) as i64
    }
}

impl Add<Span> for Timestamp {
    type Output = Self;
    fn add(self, span: Span) -> Self {
        Self(self.0.saturating_add(span.0))
    }
}

impl Sub<Span> for Timestamp {
    type Output = Self;
    fn sub(self, span: Span) -> Self {
        Self(self.0.saturating_sub(span.0))
    }
}

impl Sub for Timestamp {
    type Output = Span;
    fn sub(self, other: Self) -> Span {
        Span(self.0.saturating_sub(other.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_and_writes_rfc_3339() {
        let at = Timestamp::parse("2026-03-01T09:30:00.25+01:00").unwrap();
        assert_eq!(at.to_string(), "2026-03-01T08:30:00.25Z");
        assert_eq!(Timestamp::parse("2026-03-01T09:30:00").unwrap_err().code, "invalid_time");
    }

    #[test]
    fn years_turn_at_midnight_utc() {
        assert_eq!(Timestamp::parse("2025-12-31T23:59:59Z").unwrap().year(), 2025);
        assert_eq!(Timestamp::parse("2026-01-01T00:00:00Z").unwrap().year(), 2026);
        assert_eq!(Timestamp::from_micros(i64::MAX).year(), 1970);
    }

    #[test]
    fn waiting_times_are_rounded_up_and_instants_down() {
        assert_eq!(Span::millis(1).ceil_seconds(), 1);
        assert_eq!(Span::seconds(2).ceil_seconds(), 2);
        assert_eq!(Timestamp::from_micros(-1).seconds(), -1);
        assert_eq!(Timestamp::from_micros(61_000_001).truncate_to_minute(), Timestamp::from_seconds(60));
    }
}
