//! How facts compare with others, and how sure that is.

use narrative::{Certainty, ComparedWith, Direction, Fact, FactComparison, FactKind, FactUnit};
use statistics::{ConfidenceInterval, rate_ratio_interval, wilson_interval};

pub(super) const CONFIDENCE: f64 = 0.95;
/// A difference below this share of the compared value counts as none.
const MIN_CHANGE: f64 = 0.05;
/// Numbers of incursions from which a fact can be sure, or moderately sure.
const SURE_COUNT: u64 = 30;
const MODERATE_COUNT: u64 = 10;

/// Returns a fact about the whole worksite without a comparison. Its id is set when the sheet is complete.
pub(super) fn new_fact(kind: FactKind, unit: FactUnit, value: f64, digits: u8) -> Fact {
    Fact {
        id: String::new(),
        kind,
        subjects: Vec::new(),
        value,
        digits,
        unit,
        numerator: None,
        denominator: None,
        comparison: None,
        interval: None,
        certainty: Certainty::High,
        hours: None,
        weekdays: Vec::new(),
        place: None,
        zone: None,
    }
}

/// Returns a share in percent with its interval.
pub(super) fn new_share(kind: FactKind, part: u64, all: u64) -> Fact {
    let share = if all == 0 { 0.0 } else { part as f64 / all as f64 * 100.0 };
    Fact {
        numerator: Some(part as f64),
        denominator: Some(all as f64),
        interval: wilson_interval(part, all, CONFIDENCE).map(|found| (found.low * 100.0, found.high * 100.0)),
        certainty: certainty_by_count(all),
        ..new_fact(kind, FactUnit::Percent, share, 0)
    }
}

/// Compares a value with another one in the same unit.
pub(super) fn compare(with: ComparedWith, unit: FactUnit, value: f64, other: f64) -> FactComparison {
    let change = (other > 0.0).then(|| (value - other) / other);
    let direction = match change {
        Some(change) if change.abs() < MIN_CHANGE => Direction::Level,
        // A percentage point is none of a small percentage.
        _ if unit == FactUnit::Percent && (value - other).abs() < 1.0 => Direction::Level,
        _ if value > other => Direction::Up,
        _ if value < other => Direction::Down,
        _ => Direction::Level,
    };
    let change_percent = change.map(|change| change * 100.0).filter(|_| unit != FactUnit::Percent);
    FactComparison { with, value: other, direction, change_percent }
}

/// Returns how sure a value is that rests on so many incursions.
pub(super) const fn certainty_by_count(count: u64) -> Certainty {
    match count {
        SURE_COUNT.. => Certainty::High,
        MODERATE_COUNT.. => Certainty::Moderate,
        _ => Certainty::Low,
    }
}

/// Returns how sure a difference is: not at all if chance explains it.
fn certainty_of_difference(direction: Direction, count: u64, is_beyond_chance: bool) -> Certainty {
    match direction {
        Direction::Level => certainty_by_count(count),
        Direction::Up | Direction::Down if is_beyond_chance => certainty_by_count(count),
        Direction::Up | Direction::Down => Certainty::Low,
    }
}

/// Returns how sure the difference between two rates is.
pub(super) fn certainty_of_rates(
    direction: Direction,
    (count, exposure): (u64, f64),
    (other, other_exposure): (u64, f64),
) -> Certainty {
    let ratio = rate_ratio_interval((count, exposure), (other, other_exposure), CONFIDENCE);
    let is_beyond = ratio.is_some_and(|ratio| !contains(ratio, 1.0));
    certainty_of_difference(direction, count.saturating_add(other), is_beyond)
}

/// Returns how sure the difference between two shares is: beyond chance if their intervals do not overlap.
pub(super) fn certainty_of_shares(
    direction: Direction,
    (part, all): (u64, u64),
    (other_part, other_all): (u64, u64),
) -> Certainty {
    let intervals =
        wilson_interval(part, all, CONFIDENCE).zip(wilson_interval(other_part, other_all, CONFIDENCE));
    let is_beyond = intervals.is_some_and(|(one, other)| one.low > other.high || other.low > one.high);
    certainty_of_difference(direction, all.min(other_all), is_beyond)
}

/// Returns how sure it is that a share differs from one in percent that is known.
pub(super) fn certainty_of_share(direction: Direction, (part, all): (u64, u64), known: f64) -> Certainty {
    let interval = wilson_interval(part, all, CONFIDENCE);
    let is_beyond = interval.is_some_and(|interval| !contains(interval, known / 100.0));
    certainty_of_difference(direction, all, is_beyond)
}

fn contains(interval: ConfidenceInterval, value: f64) -> bool {
    (interval.low..=interval.high).contains(&value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_changes_are_none() {
        let compared = |unit, value, other| {
            let found = compare(ComparedWith::PreviousPeriod, unit, value, other);
            (found.direction, found.change_percent.map(f64::round))
        };
        assert_eq!(compared(FactUnit::Count, 112.0, 100.0), (Direction::Up, Some(12.0)));
        assert_eq!(compared(FactUnit::Count, 96.0, 100.0), (Direction::Level, Some(-4.0)));
        assert_eq!(compared(FactUnit::Count, 3.0, 0.0), (Direction::Up, None));
        assert_eq!(compared(FactUnit::Count, 0.0, 0.0), (Direction::Level, None));
        assert_eq!(compared(FactUnit::Count, 0.0, 4.0), (Direction::Down, Some(-100.0)));
        assert_eq!(compared(FactUnit::Percent, 60.0, 50.0), (Direction::Up, None));
        assert_eq!(compared(FactUnit::Percent, 1.5, 1.0), (Direction::Level, None));
    }

    #[test]
    fn few_incursions_are_never_sure() {
        let up = Direction::Up;
        assert_eq!(certainty_of_rates(up, (300, 100.0), (200, 100.0)), Certainty::High);
        assert_eq!(certainty_of_rates(up, (310, 738.0), (277, 769.0)), Certainty::Low);
        assert_eq!(certainty_of_rates(up, (14, 10.0), (2, 10.0)), Certainty::Moderate);
        assert_eq!(certainty_of_rates(up, (4, 1.0), (0, 0.0)), Certainty::Low);
        assert_eq!(certainty_of_rates(Direction::Level, (50, 1.0), (50, 1.0)), Certainty::High);
        assert_eq!(certainty_of_shares(up, (90, 100), (40, 100)), Certainty::High);
        assert_eq!(certainty_of_shares(up, (9, 12), (3, 12)), Certainty::Low);
        assert_eq!(certainty_of_share(up, (60, 100), 25.0), Certainty::High);
        assert_eq!(certainty_of_share(up, (3, 5), 25.0), Certainty::Low);
    }
}
