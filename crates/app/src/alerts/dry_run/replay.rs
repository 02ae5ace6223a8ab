//! Judges one split again from the beginning of a period to its end, at all instants at which the verdict can change.

use domain::{
    AlertComparison, AlertTerms, ClearReason, Crossing, Judgement, Measurement, Span, SplitState, Timestamp,
    judge,
};

use super::DryRunFiring;
use super::minutes::minute_from;
use crate::alerts::evaluation::LoadedRule;

/// What is known of a split over time.
pub(super) trait Timeline {
    /// Goes on to an instant, which never lies before the last one.
    fn advance(&mut self, to: Timestamp);

    /// Returns what is known at the instant, or none if the split is not measured.
    fn judgement(&self, is_open: bool) -> Option<Judgement>;

    /// Returns the next instant at which the verdict can change.
    fn next_change(&self, is_open: bool) -> Option<Timestamp>;
}

/// By what splits are judged.
#[derive(Clone, Debug)]
pub(super) struct Referee {
    pub terms: AlertTerms,
    pub cool_down: Span,
    pub clear_percent: u32,
    /// From the first look to the last one.
    pub period: (Timestamp, Timestamp),
    /// When the parts of the period begin to be judged for which the worst value is kept. What is judged before belongs to the first one.
    pub parts: Vec<Timestamp>,
}

/// When a split would have fired.
#[derive(Clone, Debug, Default)]
pub(super) struct Outcome {
    pub firings: Vec<DryRunFiring>,
    /// The value that was furthest on the side of the threshold.
    pub peak: Option<Measurement>,
    /// Why there was no value, if there ever was none.
    pub no_data: Option<&'static str>,
}

/// The worst value of each part of the period, over all splits.
#[derive(Clone, Debug)]
pub(super) struct WorstValues(Vec<Option<f64>>);

impl WorstValues {
    pub fn new(parts: usize) -> Self {
        Self(vec![None; parts])
    }

    pub fn into_values(self) -> Vec<Option<f64>> {
        self.0
    }

    fn note(&mut self, part: usize, value: f64, comparison: AlertComparison) {
        let Some(known) = self.0.get_mut(part) else { return };
        let is_worse = known.is_none_or(|known| match comparison {
            AlertComparison::Above => value > known,
            AlertComparison::Below => value < known,
        });
        if is_worse {
            *known = Some(value);
        }
    }
}

impl Referee {
    /// Judges by the terms of a rule, with these beginnings of parts.
    pub fn new(
        rule: &LoadedRule,
        clear_percent: u32,
        period: (Timestamp, Timestamp),
        parts: Vec<Timestamp>,
    ) -> Self {
        let rule = &rule.rule;
        // What is judged with a lag is about the time before it.
        let lag = Span::seconds(rule.terms.metric.lag_s());
        Self {
            terms: rule.terms.clone(),
            cool_down: Span::minutes(rule.cool_down_minutes),
            clear_percent,
            period,
            parts: parts.into_iter().map(|begin| begin + lag).collect(),
        }
    }

    /// Judges a split over the whole period.
    pub fn replay(&self, timeline: &mut impl Timeline, worst: &mut WorstValues) -> Outcome {
        let (mut at, to) = self.period;
        let mut state = SplitState::default();
        let mut outcome = Outcome::default();
        loop {
            timeline.advance(at);
            let judgement = timeline.judgement(state.open);
            self.note(judgement, at, &mut outcome, worst);
            let crossing = match judgement {
                Some(judgement) => {
                    judge::judge(&self.terms, judgement, state, self.cool_down, self.clear_percent, at)
                }
                // The visit is over, or nobody wears the tag any more.
                None if state.open => Crossing::Clear(ClearReason::Recovered),
                None => Crossing::None,
            };
            follow(crossing, at, &mut state, &mut outcome.firings);
            let changes = [
                timeline.next_change(state.open),
                self.next_part(at),
                self.end_of_wait(judgement, state),
                Some(to),
            ];
            match changes.into_iter().flatten().filter(|change| *change > at).min() {
                Some(next) if next <= to => {
                    if self.next_part(at) == Some(next) {
                        self.note_last(next, timeline, state.open, worst);
                    }
                    at = next;
                }
                _ => return outcome,
            }
        }
    }

    /// Notes the value with which a part ends that another one follows, since what comes in its last minute may be looked at after it.
    fn note_last(
        &self,
        next_part: Timestamp,
        timeline: &mut impl Timeline,
        is_open: bool,
        worst: &mut WorstValues,
    ) {
        let last = next_part - Span::from_micros(1);
        timeline.advance(last);
        if let Some(Judgement::Value(value)) = timeline.judgement(is_open) {
            worst.note(self.part_of(last), value.as_f64(), self.terms.comparison);
        }
    }

    fn part_of(&self, at: Timestamp) -> usize {
        self.parts.partition_point(|begin| *begin <= at).saturating_sub(1)
    }

    fn note(
        &self,
        judgement: Option<Judgement>,
        at: Timestamp,
        outcome: &mut Outcome,
        worst: &mut WorstValues,
    ) {
        match judgement {
            Some(Judgement::Value(value)) => {
                if outcome.peak.is_none_or(|peak| is_beyond(self.terms.comparison, &value, &peak)) {
                    outcome.peak = Some(value);
                }
                worst.note(self.part_of(at), value.as_f64(), self.terms.comparison);
            }
            Some(Judgement::NoData(reason)) => outcome.no_data = Some(reason),
            None => {}
        }
    }

    fn next_part(&self, after: Timestamp) -> Option<Timestamp> {
        self.parts.get(self.parts.partition_point(|begin| *begin <= after)).copied()
    }

    /// Returns when a cool-down ends, if the value is beyond meanwhile, or a time without data.
    fn end_of_wait(&self, judgement: Option<Judgement>, state: SplitState) -> Option<Timestamp> {
        let ends_at = match (judgement, state.open) {
            (Some(Judgement::Value(value)), false) if self.terms.fires(&value) => {
                state.last_cleared_at.map(|cleared| cleared + self.cool_down)
            }
            (_, true) => state.no_data_since.map(|since| since + judge::NO_DATA_LIMIT),
            _ => None,
        };
        ends_at.map(minute_from)
    }
}

/// Whether a value is further on the side of the threshold than another.
pub(super) fn is_beyond(comparison: AlertComparison, value: &Measurement, other: &Measurement) -> bool {
    let product = |one: i64, other: i64| i128::from(one) * i128::from(other);
    let (value, other) =
        (product(value.numerator, other.denominator), product(other.numerator, value.denominator));
    match comparison {
        AlertComparison::Above => value > other,
        AlertComparison::Below => value < other,
    }
}

/// Writes down what follows, as the evaluation does in its rows.
fn follow(crossing: Crossing, at: Timestamp, state: &mut SplitState, firings: &mut Vec<DryRunFiring>) {
    match crossing {
        Crossing::None => {}
        Crossing::Fire(value) => {
            *state = SplitState { open: true, no_data_since: None, ..*state };
            firings.push(DryRunFiring {
                fired_at: at,
                cleared_at: None,
                value: value.as_f64(),
                numerator: value.numerator,
                denominator: value.denominator,
            });
        }
        Crossing::Stay(_) => state.no_data_since = None,
        Crossing::NoDataBegins => state.no_data_since = Some(at),
        Crossing::Clear(_) => {
            *state = SplitState { last_cleared_at: Some(at), ..SplitState::default() };
            if let Some(open) = firings.last_mut() {
                open.cleared_at = Some(at);
            }
        }
    }
}

/// A timeline of steps: what is known stays until the next one.
#[derive(Clone, Debug, Default)]
pub(super) struct Steps {
    /// By time.
    pub steps: Vec<(Timestamp, Option<Judgement>)>,
    pub next: usize,
}

impl Timeline for Steps {
    fn advance(&mut self, to: Timestamp) {
        while self.steps.get(self.next).is_some_and(|(at, _)| *at <= to) {
            self.next += 1;
        }
    }

    fn judgement(&self, _: bool) -> Option<Judgement> {
        self.next.checked_sub(1).and_then(|last| self.steps[last].1)
    }

    fn next_change(&self, _: bool) -> Option<Timestamp> {
        self.steps.get(self.next).map(|(at, _)| *at)
    }
}

#[cfg(test)]
mod tests {
    use domain::{AlertLevel, AlertMetric, AlertScope, AlertSplit, AlertWindow};

    use super::*;

    fn minute(number: i64) -> Timestamp {
        Timestamp::from_seconds(1_770_000_000 + number * 60)
    }

    fn referee(cool_down_minutes: i64, last_minute: i64) -> Referee {
        Referee {
            terms: AlertTerms {
                metric: AlertMetric::Incursions,
                comparison: AlertComparison::Above,
                threshold: AlertLevel::whole(10),
                window: Some(AlertWindow::Rolling { minutes: 60 }),
                minimum_count: None,
                scope: AlertScope::default(),
                split_by: AlertSplit::None,
            },
            cool_down: Span::minutes(cool_down_minutes),
            clear_percent: 90,
            period: (minute(0), minute(last_minute)),
            parts: vec![minute(0), minute(100)],
        }
    }

    fn steps(of: &[(i64, Option<i64>)]) -> Steps {
        let judgement = |count: Option<i64>| match count {
            Some(count) => Judgement::Value(Measurement::count(count)),
            None => Judgement::NoData("no_runtime"),
        };
        let steps = of.iter().map(|(at, count)| (minute(*at), Some(judgement(*count))));
        Steps { steps: steps.collect(), next: 0 }
    }

    /// The minutes at which it fired and cleared.
    fn times(outcome: &Outcome) -> Vec<(i64, Option<i64>)> {
        let number = |at: Timestamp| (at.seconds() - minute(0).seconds()) / 60;
        outcome.firings.iter().map(|one| (number(one.fired_at), one.cleared_at.map(number))).collect()
    }

    #[test]
    fn a_split_fires_at_each_crossing_and_after_its_cool_down() {
        let mut worst = WorstValues::new(2);
        let values = [(0, Some(3)), (5, Some(10)), (20, Some(0)), (30, Some(12)), (140, Some(1))];
        let mut timeline = steps(&values);
        let outcome = referee(60, 300).replay(&mut timeline, &mut worst);
        assert_eq!(times(&outcome), [(5, Some(20)), (80, Some(140))]);
        assert_eq!(outcome.firings[1].numerator, 12);
        assert_eq!(outcome.peak, Some(Measurement::count(12)));
        // The second part begins with what the first one ended with.
        assert_eq!(worst.into_values(), [Some(12.0), Some(12.0)]);
    }

    #[test]
    fn a_time_without_data_ends_a_firing_after_a_day() {
        let mut worst = WorstValues::new(2);
        let outcome =
            referee(0, 5_000).replay(&mut steps(&[(1, Some(10)), (10, None), (3_000, Some(2))]), &mut worst);
        assert_eq!(times(&outcome), [(1, Some(10 + 1_440))]);
        assert_eq!(outcome.no_data, Some("no_runtime"));
    }

    #[test]
    fn what_is_open_at_the_end_has_not_cleared() {
        let mut worst = WorstValues::new(2);
        let outcome = referee(0, 50).replay(&mut steps(&[(50, Some(10)), (51, Some(0))]), &mut worst);
        assert_eq!(times(&outcome), [(50, None)]);
    }

    #[test]
    fn what_is_no_longer_measured_has_cleared() {
        let mut worst = WorstValues::new(2);
        let mut timeline = steps(&[(3, Some(10))]);
        timeline.steps.push((minute(9), None));
        assert_eq!(times(&referee(0, 50).replay(&mut timeline, &mut worst)), [(3, Some(9))]);
    }
}
