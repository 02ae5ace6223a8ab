//! Visits, and the time at which a visitor's stay is closed automatically.

use jiff::ToSpan;

use crate::{
    Actor, Invalid, LocalBound, PeriodBound, PersonId, PersonName, RegistryRows, Span, TagAssignmentId,
    TagId, TimeZone, Timestamp, VisitId, WorksiteId,
};

/// Returns the time at which a stay is closed: `limit` after its expected end, or at the local midnight after check-in,
/// whichever comes first.
pub fn auto_close_at(
    checked_in_at: Timestamp,
    expected_until: Option<Timestamp>,
    limit: Span,
    zone: &TimeZone,
) -> Timestamp {
    let midnight = next_local_midnight(checked_in_at, zone);
    let closes = expected_until.map_or(midnight, |until| midnight.min(until + limit));
    closes.max(checked_in_at)
}

/// Returns the first instant of the local day after the one that contains `at`.
pub fn next_local_midnight(at: Timestamp, zone: &TimeZone) -> Timestamp {
    let next = || {
        let local = jiff::Timestamp::from_microsecond(at.micros()).ok()?.to_zoned(zone.rules().clone());
        // A day may begin at one o'clock or not exist at all; jiff then returns the first instant that exists.
        let next = local.date().checked_add(1.day()).ok()?.to_zoned(zone.rules().clone()).ok()?;
        Some(Timestamp::from_micros(next.timestamp().as_microsecond()))
    };
    // Only the last day of the calendar has no next day.
    next().unwrap_or(at + Span::minutes(24 * 60))
}

/// A worksite, as other records name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorksiteName {
    pub id: WorksiteId,
    pub name: String,
}

/// A visit with the records it refers to.
#[derive(Clone, Debug, macros::FromRow)]
pub struct Visit {
    pub id: VisitId,
    #[row(columns("person_id", "name", "kind"))]
    pub person: PersonName,
    #[row(columns("worksite_id", "worksite_name"))]
    pub worksite: Option<WorksiteName>,
    /// The assignment of the tag that the visitor got.
    #[row(column = "tag_assignment_id")]
    pub assignment: TagAssignmentId,
    #[row(column = "tag_id")]
    pub tag: TagId,
    #[row(column = "serial")]
    pub tag_serial: String,
    /// The company that the visitor represents.
    pub company: Option<String>,
    /// Notes made at the reception desk.
    pub notes: Option<String>,
    /// Time until which the visitor meant to stay.
    pub expected_until: Option<Timestamp>,
    pub checked_in_at: Timestamp,
    #[row(columns("checked_in_by_kind", "checked_in_by_id", "checked_in_by_name"))]
    pub checked_in_by: Actor,
    /// None while the visit is open.
    pub checked_out_at: Option<Timestamp>,
    #[row(columns("checked_out_by_kind", "checked_out_by_id", "checked_out_by_name"))]
    pub checked_out_by: Option<Actor>,
    /// Changes with every change; used as `ETag`.
    pub version: i64,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

impl Visit {
    pub const fn state(&self) -> VisitState {
        if self.checked_out_at.is_some() { VisitState::Completed } else { VisitState::Active }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VisitState {
    /// The visitor has not checked out.
    Active,
    Completed,
}

impl VisitState {
    pub const ALL: [Self; 2] = [Self::Active, Self::Completed];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Completed => "completed",
        }
    }

    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let found = Self::ALL.into_iter().find(|state| state.as_str() == text);
        found.ok_or_else(|| Invalid::new("invalid_state", "must be active or completed"))
    }
}

/// Filters of a list of visits.
#[derive(Clone, Debug, Default)]
pub struct VisitFilter {
    /// Only visits in one of these states; empty means all.
    pub states: Vec<VisitState>,
    /// Only visits to one of these worksites; empty means all.
    pub worksites: Vec<WorksiteId>,
    /// Only visits of one of these people; empty means all.
    pub people: Vec<PersonId>,
    /// Earliest check-in, inclusive.
    pub from: Option<PeriodBound>,
    /// Latest check-in, exclusive.
    pub to: Option<PeriodBound>,
    /// The same for each time zone, resolved before rows are read.
    pub period: VisitPeriod,
    /// Only these rows of the table.
    pub rows: RegistryRows,
}

impl VisitFilter {
    /// Whether the period ends before it starts.
    pub fn is_reversed(&self) -> bool {
        self.from.zip(self.to).is_some_and(|(from, to)| from.is_after(to))
    }
}

/// The times of check-ins that a filter selects.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VisitPeriod {
    /// Inclusive.
    pub from: Option<LocalBound>,
    /// Exclusive.
    pub to: Option<LocalBound>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        Timestamp::parse(text).unwrap()
    }

    fn zone(name: &str) -> TimeZone {
        TimeZone::parse(name).unwrap()
    }

    #[test]
    fn words_go_both_ways() {
        for state in VisitState::ALL {
            assert_eq!(VisitState::parse(state.as_str()), Ok(state));
        }
        assert_eq!(VisitState::parse("open").map_err(|invalid| invalid.code), Err("invalid_state"));
    }

    #[test]
    fn midnight_is_the_places_own() {
        for (place, checked_in, midnight) in [
            ("UTC", "2026-03-01T12:00:00Z", "2026-03-02T00:00:00Z"),
            // At exactly midnight the new day has begun.
            ("UTC", "2026-03-01T00:00:00Z", "2026-03-02T00:00:00Z"),
            ("UTC", "2026-02-28T23:59:59.999999Z", "2026-03-01T00:00:00Z"),
            ("Pacific/Auckland", "2026-03-01T12:00:00Z", "2026-03-02T11:00:00Z"),
            ("Pacific/Kiritimati", "2026-03-01T09:59:59Z", "2026-03-01T10:00:00Z"),
            ("Pacific/Pago_Pago", "2026-03-01T10:59:59Z", "2026-03-01T11:00:00Z"),
            ("America/Los_Angeles", "2026-03-01T12:00:00Z", "2026-03-02T08:00:00Z"),
            ("Asia/Kathmandu", "2026-03-01T12:00:00Z", "2026-03-01T18:15:00Z"),
            // Days of 23 hours and of 25 hours.
            ("Europe/Berlin", "2026-03-28T23:30:00Z", "2026-03-29T22:00:00Z"),
            ("Europe/Berlin", "2026-10-24T22:30:00Z", "2026-10-25T23:00:00Z"),
            ("America/New_York", "2026-03-08T05:00:00Z", "2026-03-09T04:00:00Z"),
            // The next day begins at one o'clock.
            ("Asia/Beirut", "2026-03-28T20:00:00Z", "2026-03-28T22:00:00Z"),
            // Midnight occurs twice; the day begins with the first.
            ("America/Havana", "2026-10-31T12:00:00Z", "2026-11-01T04:00:00Z"),
            // A day that was skipped.
            ("Pacific/Apia", "2011-12-30T09:00:00Z", "2011-12-30T10:00:00Z"),
        ] {
            assert_eq!(
                next_local_midnight(at(checked_in), &zone(place)),
                at(midnight),
                "{place}, {checked_in}"
            );
        }
    }

    #[test]
    fn a_stay_closes_at_whichever_comes_first() {
        let closes = |until: Option<&str>, minutes| {
            auto_close_at(at("2026-03-01T12:00:00Z"), until.map(at), Span::minutes(minutes), &zone("UTC"))
        };
        assert_eq!(closes(None, 60), at("2026-03-02T00:00:00Z"));
        assert_eq!(closes(Some("2026-03-01T16:00:00Z"), 60), at("2026-03-01T17:00:00Z"));
        assert_eq!(closes(Some("2026-03-01T16:00:00Z"), 0), at("2026-03-01T16:00:00Z"));
        assert_eq!(closes(Some("2026-03-01T23:30:00Z"), 60), at("2026-03-02T00:00:00Z"));
        assert_eq!(closes(Some("2026-03-01T10:00:00Z"), 60), at("2026-03-01T12:00:00Z"));
    }

    #[test]
    fn the_ends_of_the_calendar_are_no_trouble() {
        for micros in [i64::MIN, i64::MAX, 253_402_207_199_999_999] {
            next_local_midnight(Timestamp::from_micros(micros), &zone("Pacific/Auckland"));
        }
    }
}
