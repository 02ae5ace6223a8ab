//! The starts and ends of periods: instants, or days, which begin at another instant in each time zone.

use std::fmt;

use crate::{Day, Invalid, Span, TimeZone, Timestamp};

/// The start or end of a period.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PeriodBound {
    /// An instant, the same for all worksites.
    Instant(Timestamp),
    /// The start of a day, in each worksite's local time.
    Day(Day),
}

impl PeriodBound {
    /// Parses a time with an offset or a bare date, from the year 1 on.
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let bound = Self::parse_any_year(text)?;
        if bound.is_before_common_era() {
            return Err(Invalid::new("out_of_range", "must not be before the year 1"));
        }
        Ok(bound)
    }

    /// Whether it is before the year 1. RFC 3339 has no negative years.
    pub const fn is_before_common_era(self) -> bool {
        self.midnight_or_instant().micros() < Self::COMMON_ERA.midnight_utc().micros()
    }

    fn parse_any_year(text: &str) -> Result<Self, Invalid> {
        let invalid = |_| {
            let message = "must be an RFC 3339 time with an offset, such as 2026-03-01T08:00:00Z, or a bare date, such as 2026-03-01";
            Invalid::new("invalid_time", message)
        };
        match text.len() {
            10 => Day::parse(text).map(Self::Day).map_err(invalid),
            _ => Timestamp::parse(text).map(Self::Instant).map_err(invalid),
        }
    }

    /// Returns the instant; for a day, its start in the time zone.
    pub fn instant_in(self, zone: &TimeZone) -> Timestamp {
        match self {
            Self::Instant(at) => at,
            Self::Day(day) => day.start_in(zone),
        }
    }

    pub const fn is_day(self) -> bool {
        matches!(self, Self::Day(_))
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

    /// Returns the bound some weeks earlier: the same day of the week, at the same local time.
    pub(super) fn weeks_before(self, weeks: i64, zone: &TimeZone) -> Self {
        match self {
            Self::Instant(at) => Self::Instant(zone.weeks_before(at, weeks)),
            Self::Day(_) => self.days_before(weeks * 7),
        }
    }

    /// Returns the local time in microseconds since 1970-01-01 0:00 of that clock.
    pub(super) fn local_micros(self, zone: &TimeZone) -> i64 {
        match self {
            Self::Instant(at) => at.micros().saturating_add(i64::from(zone.offset_s(at)) * 1_000_000),
            Self::Day(day) => day.midnight_utc().micros(),
        }
    }

    pub(super) const DAY: Span = Span::minutes(24 * 60);
    /// 1 January of the year 1.
    const COMMON_ERA: Day = Day::from_number(-719_162);

    /// Whether it is later than another one wherever they are days. The start of a day differs between worksites by at most a day.
    pub fn is_after(self, other: Self) -> bool {
        match (self, other) {
            (Self::Instant(one), Self::Instant(other)) => one > other,
            (Self::Day(one), Self::Day(other)) => one > other,
            (one, other) => one.days_before(1).midnight_or_instant() > other.midnight_or_instant(),
        }
    }

    /// Whether a period from this bound to another contains no time: in none of the time zones or, of two days or two instants, in any.
    pub fn leaves_no_time(self, to: Self, zones: &[TimeZone]) -> bool {
        match (self, to) {
            (Self::Instant(from), Self::Instant(to)) => from >= to,
            (Self::Day(from), Self::Day(to)) => from >= to,
            (from, to) => zones.iter().all(|zone| from.instant_in(zone) >= to.instant_in(zone)),
        }
    }

    pub(super) fn days_before(self, days: i64) -> Self {
        match self {
            Self::Instant(at) => Self::Instant(at - Span::minutes(days * 24 * 60)),
            Self::Day(day) => Self::Day(Day::from_number(day.number().saturating_sub(days))),
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

/// The start or end of a period, as an instant for each time zone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalBound {
    /// The instant for worksites in each of these time zones, by name; empty if it is the same for all.
    pub by_zone: Vec<(String, Timestamp)>,
    /// The instant for everything else.
    pub otherwise: Timestamp,
}

impl LocalBound {
    /// Resolves a bound for worksites in these time zones. What has no worksite is in that of the brand.
    pub fn new(bound: PeriodBound, zones: &[TimeZone], brand: &TimeZone) -> Self {
        let others = zones.iter().filter(|zone| bound.is_day() && *zone != brand);
        Self {
            by_zone: others.map(|zone| (zone.as_str().to_owned(), bound.instant_in(zone))).collect(),
            otherwise: bound.instant_in(brand),
        }
    }

    /// Returns the earliest of its instants, before which nothing is reached in any time zone.
    pub fn earliest(&self) -> Timestamp {
        self.by_zone.iter().map(|(_, at)| *at).fold(self.otherwise, Timestamp::min)
    }

    /// Returns the latest of its instants.
    pub fn latest(&self) -> Timestamp {
        self.by_zone.iter().map(|(_, at)| *at).fold(self.otherwise, Timestamp::max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> PeriodBound {
        PeriodBound::parse(text).unwrap()
    }

    fn instant(text: &str) -> Timestamp {
        Timestamp::parse(text).unwrap()
    }

    fn zone(name: &str) -> TimeZone {
        TimeZone::parse(name).unwrap()
    }

    #[test]
    fn a_bound_lies_at_each_zones_own_midnight() {
        let zones = [zone("UTC"), zone("Asia/Tokyo")];
        let bound = LocalBound::new(at("2026-03-01"), &zones, &zones[0]);
        assert_eq!(bound.otherwise, instant("2026-03-01T00:00:00Z"));
        assert_eq!(bound.by_zone, [("Asia/Tokyo".to_owned(), instant("2026-02-28T15:00:00Z"))]);
        assert_eq!((bound.earliest(), bound.latest()), (instant("2026-02-28T15:00:00Z"), bound.otherwise));
        let bound = LocalBound::new(at("2026-03-01T08:00:00Z"), &zones, &zones[0]);
        assert_eq!((bound.earliest(), bound.latest()), (bound.otherwise, bound.otherwise));
        assert_eq!((bound.by_zone, bound.otherwise), (vec![], instant("2026-03-01T08:00:00Z")));
    }

    #[test]
    fn a_period_without_any_time_is_known() {
        let empty = |from, to, zones: &[&str]| {
            let zones: Vec<TimeZone> = zones.iter().map(|name| zone(name)).collect();
            at(from).leaves_no_time(at(to), &zones)
        };
        assert!(empty("2026-03-01", "2026-03-01", &["UTC"]) && empty("2026-03-01", "2026-03-01", &[]));
        assert!(!empty("2026-03-01", "2026-03-02", &[]));
        assert!(empty("2026-03-01T08:00:00Z", "2026-03-01T08:00:00Z", &["UTC"]));
        assert!(!empty("2026-03-01T08:00:00Z", "2026-03-01T08:00:00.000001Z", &[]));
        // Midnight in Auckland is 13 hours earlier.
        let (from, to) = ("2026-03-01", "2026-02-28T12:00:00Z");
        assert!(empty(from, to, &["UTC"]) && !empty(from, to, &["UTC", "Pacific/Auckland"]));
    }
}
