//! How far back columns reach while they are being built, which begins with the newest facts.

use domain::insights::{IncursionFact, Question, RuntimeFact};
use domain::{PeriodBound, Span, Timestamp};

/// The start of a fact in microseconds, and its id, by which facts are ordered.
pub(crate) type FactKey = (i64, i64);

/// Earlier than every fact.
pub(super) const BEGINNING: FactKey = (i64::MIN, i64::MIN);
/// Later than every fact.
pub(super) const END: FactKey = (i64::MAX, i64::MAX);

/// A runtime piece lies within one local hour, which lasts two when clocks are set back. Those that began earlier can reach into a period.
pub(super) const LONGEST_PIECE: Span = Span::minutes(120);

/// The time from which facts are needed, and until when, with a margin for local days; none where there is no bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NeededPeriod {
    pub from: Option<Timestamp>,
    pub to: Option<Timestamp>,
}

impl NeededPeriod {
    pub fn of_question(question: &Question) -> Self {
        let (from, to) = (question.from.map(PeriodBound::earliest), question.to.map(PeriodBound::latest));
        Self { from: from.map(|from| from - LONGEST_PIECE), to }
    }

    pub fn of_list((from, to): (Timestamp, Timestamp)) -> Self {
        Self { from: Some(from - LONGEST_PIECE), to: Some(to) }
    }
}

/// The first facts that are in the columns: everything from there on is, and nothing earlier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reach {
    pub incursions: FactKey,
    pub runtime: FactKey,
}

impl Reach {
    pub const EVERYTHING: Self = Self { incursions: BEGINNING, runtime: BEGINNING };

    /// Whether all facts of a period are in the columns.
    pub fn covers(&self, period: NeededPeriod) -> bool {
        let first = period.from.map_or(BEGINNING, |from| (from.micros(), i64::MIN));
        self.incursions.max(self.runtime) <= first
    }
}

/// Facts of a kind that has a key.
pub(super) trait Keyed: Copy {
    fn key(&self) -> FactKey;
}

impl Keyed for IncursionFact {
    fn key(&self) -> FactKey {
        (self.started_at.micros(), self.id.0)
    }
}

impl Keyed for RuntimeFact {
    fn key(&self) -> FactKey {
        (self.started_at.micros(), self.id.0)
    }
}

/// Changes of facts that the columns do not reach yet. The pages that are read later leave them out, because their numbers are too high.
#[derive(Debug)]
pub(super) struct DeferredChanges<T>(Vec<T>);

impl<T> Default for DeferredChanges<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: Keyed> DeferredChanges<T> {
    /// Keeps the facts before a key, and returns the others.
    pub fn defer(&mut self, facts: Vec<T>, reach: FactKey) -> Vec<T> {
        let (now, later): (Vec<T>, Vec<T>) = facts.into_iter().partition(|fact| fact.key() >= reach);
        self.0.extend(later);
        now
    }

    /// Returns the facts from a key on, in the order in which they were deferred.
    pub fn take_from(&mut self, reach: FactKey) -> Vec<T> {
        let all = std::mem::take(&mut self.0);
        let (now, later) = all.into_iter().partition(|fact| fact.key() >= reach);
        self.0 = later;
        now
    }
}

#[cfg(test)]
mod tests {
    use domain::Day;

    use super::*;

    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    struct Fact(i64, i64);

    impl Keyed for Fact {
        fn key(&self) -> FactKey {
            (self.0, 0)
        }
    }

    #[test]
    fn a_period_is_covered_once_both_kinds_reach_back_to_it() {
        let day = |number: i64| Day::from_number(number).midnight_utc();
        let reach = |incursions: Timestamp, runtime: Timestamp| Reach {
            incursions: (incursions.micros(), 7),
            runtime: (runtime.micros(), 7),
        };
        let from = |bound: PeriodBound| {
            let question = Question {
                from: Some(bound),
                to: None,
                filter: domain::insights::IncursionFilter::default(),
                visible_projects: None,
                measures: Vec::new(),
                groupings: Vec::new(),
            };
            NeededPeriod::of_question(&question)
        };
        // The tenth day begins up to a day earlier somewhere.
        let needed = from(PeriodBound::Day(Day::from_number(10)));
        assert!(!reach(day(9), day(8)).covers(needed) && !reach(day(8), day(9)).covers(needed));
        assert!(reach(day(8), day(8)).covers(needed));
        let needed = from(PeriodBound::Instant(day(10)));
        assert!(reach(day(9), day(9)).covers(needed) && !reach(day(10), day(9)).covers(needed));
        let everything = NeededPeriod { from: None, to: None };
        assert!(!reach(day(0), day(0)).covers(everything));
        assert!(Reach::EVERYTHING.covers(everything));
    }

    #[test]
    fn what_is_deferred_comes_in_its_order() {
        let mut deferred = DeferredChanges::default();
        assert_eq!(
            deferred.defer(vec![Fact(5, 1), Fact(2, 1), Fact(4, 1)], (4, 0)),
            [Fact(5, 1), Fact(4, 1)]
        );
        assert_eq!(deferred.defer(vec![Fact(2, 2), Fact(1, 1)], (4, 0)), []);
        assert_eq!(deferred.take_from((2, 0)), [Fact(2, 1), Fact(2, 2)]);
        assert_eq!(deferred.take_from(BEGINNING), [Fact(1, 1)]);
    }
}
