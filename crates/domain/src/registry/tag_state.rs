//! The state of a tag and the flags that follow from its brand's settings. All rules for them are here.

use serde::Serialize;

use crate::{Invalid, Span, Timestamp};

const DAY: Span = Span::minutes(24 * 60);

/// The state of a tag. If several apply, the first in this order counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TagState {
    Retired,
    /// Someone wears it.
    Assigned,
    /// Available to be handed out.
    Stock,
}

impl TagState {
    pub const ALL: [Self; 3] = [Self::Retired, Self::Assigned, Self::Stock];

    /// Returns the value stored in tables and sent in API responses.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Retired => "retired",
            Self::Assigned => "assigned",
            Self::Stock => "stock",
        }
    }

    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let found = Self::ALL.into_iter().find(|state| state.as_str() == text);
        found.ok_or_else(|| Invalid::new("invalid_state", "must be one of retired, assigned, stock"))
    }
}

/// A condition that needs attention. Retired tags have no flags.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TagFlag {
    /// At least as many whole days have passed since the last test as the test interval has.
    TestOverdue,
    /// The last day of the test interval.
    TestDue,
    /// Never tested, and therefore neither due nor overdue.
    NeverTested,
    /// The battery is at or below the low threshold and above the critical one.
    LowBattery,
    /// The battery is at or below the critical threshold; the tag is then not also flagged as low.
    CriticalBattery,
    /// It has been seen before, but not for as long as the silence limit.
    Silent,
}

impl TagFlag {
    /// All flags, in the order in which they are listed.
    pub const ALL: [Self; 6] = [
        Self::TestOverdue,
        Self::TestDue,
        Self::NeverTested,
        Self::LowBattery,
        Self::CriticalBattery,
        Self::Silent,
    ];

    /// Returns the value stored in tables and sent in API responses.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::TestOverdue => "test_overdue",
            Self::TestDue => "test_due",
            Self::NeverTested => "never_tested",
            Self::LowBattery => "low_battery",
            Self::CriticalBattery => "critical_battery",
            Self::Silent => "silent",
        }
    }

    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let found = Self::ALL.into_iter().find(|flag| flag.as_str() == text);
        found.ok_or_else(|| {
            let words = Self::ALL.map(Self::as_str).join(", ");
            Invalid::new("unknown_flag", format!("must be one of {words}"))
        })
    }
}

/// The data from which state and flags are derived.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TagFacts {
    pub retired: bool,
    pub assigned: bool,
    /// The last reported charge.
    pub battery_percent: Option<i64>,
    pub tested_at: Option<Timestamp>,
    pub last_seen_at: Option<Timestamp>,
}

/// A brand's settings as thresholds at one point in time. Lists filter by the same numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TagThresholds {
    /// A last test at or before this time is overdue.
    pub overdue_cutoff: Timestamp,
    /// A last test at or before this time, but after `overdue_cutoff`, is due.
    pub due_cutoff: Timestamp,
    /// A battery at or below this is low.
    pub low_battery_percent: i64,
    /// A battery at or below this is critical.
    pub critical_battery_percent: i64,
    /// A tag last seen at or before this time is silent.
    pub silence_cutoff: Timestamp,
    now: Timestamp,
}

impl TagThresholds {
    /// Computes the thresholds at `now`. A low battery threshold below the critical one is ignored.
    pub fn at(
        now: Timestamp,
        test_interval_days: i64,
        (low_battery_percent, critical_battery_percent): (i64, i64),
        silence_limit_hours: i64,
    ) -> Self {
        let days = |count: i64| Span::minutes(count * 24 * 60);
        Self {
            overdue_cutoff: now - days(test_interval_days),
            due_cutoff: now - days(test_interval_days - 1),
            low_battery_percent,
            critical_battery_percent,
            silence_cutoff: now - Span::minutes(silence_limit_hours * 60),
            now,
        }
    }

    /// Returns the whole days since a test. A test dated in the future by the device's clock counts as today's.
    pub fn days_since(&self, tested_at: Timestamp) -> i64 {
        ((self.now - tested_at).micros() / DAY.micros()).max(0)
    }

    pub fn has_flag(&self, flag: TagFlag, facts: &TagFacts) -> bool {
        let tested = |holds: &dyn Fn(Timestamp) -> bool| facts.tested_at.is_some_and(holds);
        let battery = |holds: &dyn Fn(i64) -> bool| facts.battery_percent.is_some_and(holds);
        let is_critical = |percent: i64| percent <= self.critical_battery_percent;
        !facts.retired
            && match flag {
                TagFlag::TestOverdue => tested(&|at| at <= self.overdue_cutoff),
                TagFlag::TestDue => tested(&|at| at > self.overdue_cutoff && at <= self.due_cutoff),
                TagFlag::NeverTested => facts.tested_at.is_none(),
                TagFlag::LowBattery => {
                    battery(&|percent| percent <= self.low_battery_percent && !is_critical(percent))
                }
                TagFlag::CriticalBattery => battery(&is_critical),
                TagFlag::Silent => facts.last_seen_at.is_some_and(|at| at <= self.silence_cutoff),
            }
    }

    pub fn flags(&self, facts: &TagFacts) -> Vec<TagFlag> {
        TagFlag::ALL.into_iter().filter(|flag| self.has_flag(*flag, facts)).collect()
    }
}

impl TagFacts {
    pub fn state(&self) -> TagState {
        match (self.retired, self.assigned) {
            (true, _) => TagState::Retired,
            (false, true) => TagState::Assigned,
            (false, false) => TagState::Stock,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::from_seconds(1_772_366_430);
    const TICK: Span = Span::millis(1);

    fn limits() -> TagThresholds {
        TagThresholds::at(NOW, 7, (20, 10), 24)
    }

    fn flags(facts: TagFacts) -> Vec<&'static str> {
        limits().flags(&facts).into_iter().map(TagFlag::as_str).collect()
    }

    fn tested(ago: Span) -> TagFacts {
        TagFacts { tested_at: Some(NOW - ago), ..TagFacts::default() }
    }

    fn days(count: i64) -> Span {
        Span::minutes(count * 24 * 60)
    }

    #[test]
    fn tests_are_due_on_the_last_day_and_overdue_after_it() {
        assert_eq!(flags(TagFacts::default()), ["never_tested"]);
        for (ago, since, expected) in [
            (Span::ZERO, 0, vec![]),
            (Span::minutes(-5), 0, vec![]),
            (Span::seconds(6 * 86_400 - 1), 5, vec![]),
            (days(6), 6, vec!["test_due"]),
            (Span::seconds(7 * 86_400 - 1), 6, vec!["test_due"]),
            (days(7), 7, vec!["test_overdue"]),
            (days(400), 400, vec!["test_overdue"]),
        ] {
            let facts = tested(ago);
            assert_eq!(flags(facts), expected, "{ago:?}");
            assert_eq!(limits().days_since(facts.tested_at.unwrap()), since, "{ago:?}");
        }
    }

    #[test]
    fn with_an_interval_of_a_day_a_test_is_due_at_once() {
        let limits = TagThresholds::at(NOW, 1, (20, 10), 24);
        assert_eq!(limits.flags(&tested(Span::ZERO)), [TagFlag::TestDue]);
        assert_eq!(limits.flags(&tested(days(1))), [TagFlag::TestOverdue]);
    }

    #[test]
    fn a_battery_is_low_or_critical_but_not_both() {
        for (percent, expected) in [
            (None, None),
            (Some(100), None),
            (Some(21), None),
            (Some(20), Some("low_battery")),
            (Some(11), Some("low_battery")),
            (Some(10), Some("critical_battery")),
            (Some(0), Some("critical_battery")),
        ] {
            let facts = TagFacts { battery_percent: percent, ..tested(Span::ZERO) };
            assert_eq!(flags(facts), expected.into_iter().collect::<Vec<_>>(), "{percent:?}");
        }
        let same = TagThresholds::at(NOW, 7, (10, 10), 24);
        let facts = TagFacts { battery_percent: Some(10), ..tested(Span::ZERO) };
        assert_eq!(same.flags(&facts), [TagFlag::CriticalBattery]);
    }

    #[test]
    fn only_what_was_heard_of_can_fall_silent() {
        let seen = |ago| TagFacts { last_seen_at: Some(NOW - ago), ..tested(Span::ZERO) };
        assert_eq!(flags(seen(days(1))), ["silent"]);
        assert!(
            flags(TagFacts { last_seen_at: Some(NOW - days(1) + TICK), ..tested(Span::ZERO) }).is_empty()
        );
        assert!(flags(tested(Span::ZERO)).is_empty());
    }

    #[test]
    fn a_retired_tag_carries_no_flags() {
        let facts =
            TagFacts { retired: true, assigned: true, battery_percent: Some(0), ..TagFacts::default() };
        assert!(flags(facts).is_empty());
        assert_eq!(facts.state(), TagState::Retired);
        assert_eq!(TagFacts { assigned: true, ..TagFacts::default() }.state(), TagState::Assigned);
        assert_eq!(TagFacts::default().state(), TagState::Stock);
    }
}
