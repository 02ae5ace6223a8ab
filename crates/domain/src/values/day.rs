//! Calendar days, and periods bounded by days or by instants.

use std::fmt;

use serde::{Serialize, Serializer};

use crate::{Invalid, Span, Timestamp};

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

    /// Returns the start of the day in UTC.
    pub const fn midnight_utc(self) -> Timestamp {
        Timestamp::from_seconds(self.0.saturating_mul(24 * 60 * 60))
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let days = i32::try_from(self.0).ok().map(|days| jiff::Span::new().try_days(days));
        match days.and_then(Result::ok).map(|days| jiff::civil::date(1970, 1, 1).checked_add(days)) {
            Some(Ok(date)) => date.fmt(f),
            _ => write!(f, "day {}", self.0),
        }
    }
}

impl Serialize for Day {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// The start or end of a period.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PeriodBound {
    /// An instant, the same for all worksites.
    Instant(Timestamp),
    /// The start of a day, in each worksite's local time.
    Day(Day),
}

impl PeriodBound {
    /// Parses a time with an offset or a bare date.
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let invalid = |_| {
            let message = "must be an RFC 3339 time with an offset, such as 2026-03-01T08:00:00Z, or a bare date, such as 2026-03-01";
            Invalid::new("invalid_time", message)
        };
        match text.len() {
            10 => Day::parse(text).map(Self::Day).map_err(invalid),
            _ => Timestamp::parse(text).map(Self::Instant).map_err(invalid),
        }
    }

    /// Returns the instant; for a day, its start in UTC.
    pub const fn midnight_or_instant(self) -> Timestamp {
        match self {
            Self::Instant(at) => at,
            Self::Day(day) => day.midnight_utc(),
        }
    }

    /// Returns the earliest instant it may stand for: a day starts at a different instant in each time zone.
    pub fn earliest(self) -> Timestamp {
        match self {
            Self::Instant(at) => at,
            Self::Day(day) => day.midnight_utc() - Self::DAY,
        }
    }

    /// Returns the latest instant it may stand for.
    pub fn latest(self) -> Timestamp {
        match self {
            Self::Instant(at) => at,
            Self::Day(day) => day.midnight_utc() + Self::DAY,
        }
    }

    /// Shifts the bound back; a day is shifted by whole days.
    fn shifted_back(self, span: Span) -> Self {
        match self {
            Self::Instant(at) => Self::Instant(at - span),
            Self::Day(_) => self.days_before(span.micros() / Self::DAY.micros()),
        }
    }

    const DAY: Span = Span::minutes(24 * 60);

    fn days_before(self, days: i64) -> Self {
        match self {
            Self::Instant(at) => Self::Instant(at - Span::minutes(days * 24 * 60)),
            Self::Day(day) => Self::Day(Day(day.0.saturating_sub(days))),
        }
    }
}

impl fmt::Display for PeriodBound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Instant(at) => at.fmt(f),
            Self::Day(day) => day.fmt(f),
        }
    }
}

/// A requested period, from `from` inclusive to `to` exclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Period {
    /// The start; if left out, thirty days before the end.
    pub from: Option<PeriodBound>,
    /// The end; if left out, the period is open.
    pub to: Option<PeriodBound>,
}

impl Period {
    /// Length of a period whose start is left out, in days.
    pub const DEFAULT_DAYS: i64 = 30;
    /// Maximum length in days: any five years.
    pub const MAX_DAYS: i64 = 5 * 365 + 2;

    /// Resolves the bounds at the time `now`. Rejects a period that is reversed or too long, with the name of the wrong bound.
    pub fn bounds(
        self,
        now: Timestamp,
    ) -> Result<(PeriodBound, Option<PeriodBound>), (&'static str, Invalid)> {
        let to = self.to.unwrap_or(PeriodBound::Instant(now));
        let Some(from) = self.from else { return Ok((to.days_before(Self::DEFAULT_DAYS), self.to)) };
        if to.days_before(Self::MAX_DAYS).midnight_or_instant() > from.midnight_or_instant() {
            return Err(("from", Invalid::new("out_of_range", "must be at most five years before to")));
        }
        let is_turned = match (from, self.to) {
            (PeriodBound::Instant(from), Some(PeriodBound::Instant(to))) => from > to,
            (PeriodBound::Day(from), Some(PeriodBound::Day(to))) => from > to,
            // The start of a day differs between worksites by at most a day.
            (from, Some(to)) => from.days_before(1).midnight_or_instant() > to.midnight_or_instant(),
            (_, None) => false,
        };
        if is_turned {
            return Err(("to", Invalid::new("out_of_range", "must not come before from")));
        }
        Ok((from, self.to))
    }

    /// Returns the period of equal length right before one with these bounds. If a bound is a day, the length is rounded up to
    /// whole days, so that a period that ends at noon is compared with one that also ends at noon.
    pub fn previous(from: PeriodBound, to: Option<PeriodBound>, now: Timestamp) -> Self {
        let to = to.unwrap_or(PeriodBound::Instant(now));
        let length = (to.midnight_or_instant() - from.midnight_or_instant()).micros().max(0);
        let length = match (from, to) {
            (PeriodBound::Instant(_), PeriodBound::Instant(_)) => Span::from_micros(length),
            _ => {
                let day = PeriodBound::DAY.micros();
                Span::from_micros((length + day - 1) / day * day)
            }
        };
        Self { from: Some(from.shifted_back(length)), to: Some(to.shifted_back(length)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> PeriodBound {
        PeriodBound::parse(text).unwrap()
    }

    #[test]
    fn the_previous_period_is_as_long_and_ends_where_this_begins() {
        let now = Timestamp::parse("2026-03-11T12:00:00Z").unwrap();
        for (from, to, previous) in [
            ("2026-03-01", Some("2026-03-08"), ("2026-02-22", "2026-03-01")),
            (
                "2026-03-01T06:00:00Z",
                Some("2026-03-01T09:00:00Z"),
                ("2026-03-01T03:00:00Z", "2026-03-01T06:00:00Z"),
            ),
            ("2026-03-10T12:00:00Z", None, ("2026-03-09T12:00:00Z", "2026-03-10T12:00:00Z")),
            ("2026-03-09", None, ("2026-03-06", "2026-03-08T12:00:00Z")),
            ("2026-03-09T12:00:00Z", Some("2026-03-10"), ("2026-03-08T12:00:00Z", "2026-03-09")),
        ] {
            let expected = Period { from: Some(at(previous.0)), to: Some(at(previous.1)) };
            assert_eq!(Period::previous(at(from), to.map(at), now), expected, "{from} {to:?}");
        }
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

    #[test]
    fn a_period_is_thirty_days_unless_said() {
        let now = Timestamp::parse("2026-03-31T12:00:00Z").unwrap();
        let bounds = |from, to| Period { from, to }.bounds(now).unwrap();
        assert_eq!(bounds(None, None), (at("2026-03-01T12:00:00Z"), None));
        let to = Some(at("2026-02-01"));
        assert_eq!(bounds(None, to), (at("2026-01-02"), to));
        assert_eq!(bounds(Some(at("2021-04-01")), None), (at("2021-04-01"), None));
    }

    #[test]
    fn a_period_is_neither_turned_around_nor_longer_than_five_years() {
        let now = Timestamp::parse("2026-03-31T12:00:00Z").unwrap();
        let refused = |from, to: Option<&str>| {
            let period = Period { from: Some(at(from)), to: to.map(at) };
            period.bounds(now).map_err(|(name, _)| name).err()
        };
        assert_eq!(refused("2021-03-29", None), Some("from"));
        assert_eq!(refused("2021-03-31", None), None);
        assert_eq!(refused("2000-01-01", Some("2005-01-01")), None);
        assert_eq!(refused("2000-01-01", Some("2005-01-03T00:00:00Z")), Some("from"));
        assert_eq!(refused("2026-03-02", Some("2026-03-01")), Some("to"));
        assert_eq!(refused("2026-03-01T00:00:01Z", Some("2026-03-01T00:00:00Z")), Some("to"));
        assert_eq!(refused("2026-03-01", Some("2026-03-01")), None);
        assert_eq!(refused("2026-03-02", Some("2026-03-01T12:00:00Z")), None);
        assert_eq!(refused("2026-03-05", Some("2026-03-01T12:00:00Z")), Some("to"));
        assert_eq!(refused("-009999-01-03T00:00:00Z", Some("9999-01-01")), Some("from"));
    }
}
