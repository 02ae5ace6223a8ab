//! How facts compare with others, and how sure that is.
//!
//! Incursions come in bursts, so that counts vary more than those of independent events. How much more is estimated from days
//! (`days`), and a difference counts only if it is unlikely in spite of that ([`Overdispersion`]).

use narrative::{Certainty, ComparedWith, Direction, Fact, FactComparison, FactKind, FactUnit};
use statistics::{Overdispersion, adjust_for_choice, rate_interval, wilson_interval};

use crate::reports::thresholds::MIN_CHANGE;

pub(super) const CONFIDENCE: f64 = 0.95;
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

/// Returns the interval of a rate; one for independent incursions if it is not known how much they vary.
pub(super) fn interval_of_rate(count: u64, hours: f64, spread: Option<Overdispersion>) -> Option<(f64, f64)> {
    let interval = match spread {
        Some(spread) => spread.rate_interval(count, hours, CONFIDENCE),
        None => rate_interval(count, hours, CONFIDENCE),
    };
    interval.map(|interval| (interval.low, interval.high))
}

/// Returns how sure a difference is: not at all if chance explains it, or if it is not known whether it does.
fn certainty_of_difference(direction: Direction, count: u64, p: Option<f64>) -> Certainty {
    let is_beyond_chance = p.is_some_and(|p| p < 1.0 - CONFIDENCE);
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
    spread: Option<Overdispersion>,
) -> Certainty {
    let p = spread.and_then(|spread| spread.rate_difference_p((count, exposure), (other, other_exposure)));
    certainty_of_difference(direction, count.saturating_add(other), p)
}

/// Returns how sure the difference between two shares is.
pub(super) fn certainty_of_shares(
    direction: Direction,
    (part, all): (u64, u64),
    (other_part, other_all): (u64, u64),
    spread: Option<Overdispersion>,
) -> Certainty {
    let p = spread.and_then(|spread| spread.share_difference_p((part, all), (other_part, other_all)));
    certainty_of_difference(direction, all.min(other_all), p)
}

/// Returns how sure it is that the largest of several shares differs from one in percent that is known. That it is the largest makes it
/// less unusual.
pub(super) fn certainty_of_largest_share(
    direction: Direction,
    (part, all): (u64, u64),
    known: f64,
    (spread, candidates): (Option<Overdispersion>, u64),
) -> Certainty {
    let p = spread.and_then(|spread| spread.share_p((part, all), known / 100.0));
    certainty_of_difference(direction, all, p.map(|p| adjust_for_choice(p, candidates)))
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

    /// Twenty days that are alike.
    fn steady() -> Option<Overdispersion> {
        Overdispersion::of_counts(&[vec![(10, 8.0); 20], vec![(8, 8.0); 20]], 0)
    }

    /// Twenty days with all incursions of four days on one of them.
    fn in_bursts() -> Option<Overdispersion> {
        let days = |count: u64| -> Vec<(u64, f64)> {
            (1..=20).map(|day| (if day % 4 == 0 { 4 * count } else { 0 }, 8.0)).collect()
        };
        Overdispersion::of_counts(&[days(10), days(8)], 0)
    }

    #[test]
    fn few_incursions_are_never_sure() {
        let (up, alike) = (Direction::Up, steady());
        let rates = |one, other| certainty_of_rates(up, one, other, alike);
        assert_eq!(rates((300, 100.0), (200, 100.0)), Certainty::High);
        assert_eq!(rates((310, 738.0), (277, 769.0)), Certainty::Low);
        assert_eq!(rates((14, 10.0), (2, 10.0)), Certainty::Moderate);
        assert_eq!(rates((4, 1.0), (0, 0.0)), Certainty::Low);
        assert_eq!(certainty_of_rates(Direction::Level, (50, 1.0), (50, 1.0), alike), Certainty::High);
        assert_eq!(certainty_of_shares(up, (90, 100), (40, 100), alike), Certainty::High);
        assert_eq!(certainty_of_shares(up, (11, 12), (3, 12), alike), Certainty::Moderate);
        assert_eq!(certainty_of_shares(up, (7, 12), (3, 12), alike), Certainty::Low);
    }

    #[test]
    fn a_difference_that_bursts_explain_is_not_sure() {
        let certainty = |spread| certainty_of_rates(Direction::Up, (200, 160.0), (160, 160.0), spread);
        assert_eq!(certainty(steady()), Certainty::High);
        assert_eq!(certainty(in_bursts()), Certainty::Low);
        // One day against another: nobody knows how days vary.
        assert_eq!(certainty(None), Certainty::Low);
        let shares = |spread| certainty_of_shares(Direction::Up, (120, 200), (90, 200), spread);
        assert_eq!((shares(steady()), shares(in_bursts())), (Certainty::High, Certainty::Low));
        let wide = interval_of_rate(200, 160.0, in_bursts()).unwrap();
        let narrow = interval_of_rate(200, 160.0, steady()).unwrap();
        assert!(wide.0 < narrow.0 && wide.1 > narrow.1, "{wide:?} {narrow:?}");
    }

    #[test]
    fn the_largest_of_many_is_less_unusual_than_one_that_was_asked_for() {
        let largest = |counts, candidates| {
            certainty_of_largest_share(Direction::Up, counts, 25.0, (steady(), candidates))
        };
        assert_eq!(largest((33, 100), 1), Certainty::Low);
        assert_eq!(largest((36, 100), 1), Certainty::High);
        assert_eq!(largest((36, 100), 22), Certainty::Low);
        assert_eq!(largest((60, 100), 22), Certainty::High);
        assert_eq!(largest((3, 5), 1), Certainty::Low);
    }
}
