//! The window of one split as it moves over the facts of the past.

use std::collections::BTreeMap;

use domain::{AlertComparison, AlertMetric, AlertTerms, Judgement, Measurement, Timestamp};

use super::SplitIds;
use super::minutes::minute_from;
use super::replay::Timeline;
use super::runtime_window::{PieceItem, RuntimeWindow};
use crate::alerts::evaluation::LEAST_RUNTIME_MS;

/// What is kept of an incursion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FactItem {
    pub split: SplitIds,
    /// Since when it is in the window.
    pub enters: Timestamp,
    /// From when on it is not. Always later.
    pub leaves: Timestamp,
    /// 0 if it has not ended.
    pub duration_ms: i64,
    pub is_acknowledged: bool,
}

/// The facts of one split, and those of them that are in the window.
#[derive(Debug)]
pub(super) struct SplitWindow {
    metric: AlertMetric,
    comparison: AlertComparison,
    minimum_count: i64,
    /// Whether it has a value even if nothing is in the window.
    is_expected: bool,
    /// By when they enter.
    items: Vec<FactItem>,
    /// Places of items, by when they leave.
    by_leaving: Vec<usize>,
    entered: usize,
    left: usize,
    incursions: i64,
    acknowledged: i64,
    /// The durations of what is in the window, with how often each occurs.
    durations: BTreeMap<i64, u32>,
    /// For metrics that need it.
    runtime: Option<RuntimeWindow>,
}

impl SplitWindow {
    pub fn new(
        terms: &AlertTerms,
        mut items: Vec<FactItem>,
        pieces: Vec<PieceItem>,
        length_us: Option<i64>,
        is_expected: bool,
    ) -> Self {
        items.sort_by_key(|item| item.enters);
        let mut by_leaving: Vec<usize> = (0..items.len()).collect();
        by_leaving.sort_by_key(|place| items[*place].leaves);
        Self {
            metric: terms.metric,
            comparison: terms.comparison,
            minimum_count: terms.minimum_count.unwrap_or(0),
            is_expected,
            items,
            by_leaving,
            entered: 0,
            left: 0,
            incursions: 0,
            acknowledged: 0,
            durations: BTreeMap::new(),
            runtime: terms.metric.needs_runtime().then(|| RuntimeWindow::new(pieces, length_us)),
        }
    }

    fn count(&mut self, item: FactItem, by: i64) {
        self.incursions += by;
        self.acknowledged += if item.is_acknowledged { by } else { 0 };
        if self.metric == AlertMetric::LongIncursion {
            let known = self.durations.entry(item.duration_ms).or_default();
            *known = known.saturating_add_signed(if by > 0 { 1 } else { -1 });
            if *known == 0 {
                self.durations.remove(&item.duration_ms);
            }
        }
    }

    /// Whether time alone can change the verdict: what leaves the window lowers a count, and so matters only for what is open or fires
    /// below, while rates go either way.
    fn time_matters(&self, is_open: bool) -> bool {
        let is_rate =
            matches!(self.metric, AlertMetric::AcknowledgementRate | AlertMetric::IncursionsPerRuntimeHour);
        let can_rise = is_rate && self.incursions >= self.minimum_count.max(1);
        is_open || can_rise || self.comparison == AlertComparison::Below
    }

    /// Whether there is anything in the window.
    fn has_facts(&self) -> bool {
        self.incursions > 0 || self.runtime.as_ref().is_some_and(RuntimeWindow::has_pieces)
    }
}

impl Timeline for SplitWindow {
    fn advance(&mut self, to: Timestamp) {
        while let Some(item) = self.items.get(self.entered).copied().filter(|item| item.enters <= to) {
            self.count(item, 1);
            self.entered += 1;
        }
        while let Some(place) = self.by_leaving.get(self.left).copied()
            && self.items[place].leaves <= to
        {
            self.count(self.items[place], -1);
            self.left += 1;
        }
        if let Some(runtime) = &mut self.runtime {
            runtime.advance(to);
        }
    }

    /// Returns the same as the evaluation, except that how long the longest incursion was is always known.
    fn judgement(&self, is_open: bool) -> Option<Judgement> {
        if !is_open && !self.is_expected && !self.has_facts() {
            return None;
        }
        let scale = self.metric.scale();
        let value = |numerator: i64, denominator: i64| {
            Judgement::Value(Measurement { numerator, denominator, scale })
        };
        Some(match self.metric {
            AlertMetric::AcknowledgementRate if self.incursions == 0 => Judgement::NoData("no_incursions"),
            AlertMetric::AcknowledgementRate if self.incursions < self.minimum_count => {
                Judgement::NoData("too_few")
            }
            AlertMetric::AcknowledgementRate => value(self.acknowledged, self.incursions),
            AlertMetric::IncursionsPerRuntimeHour => {
                let runtime_ms = self.runtime.as_ref().map_or(0, RuntimeWindow::total_ms);
                match (runtime_ms < LEAST_RUNTIME_MS, self.incursions < self.minimum_count) {
                    (true, _) => Judgement::NoData("no_runtime"),
                    (false, true) => Judgement::NoData("too_few"),
                    (false, false) => value(self.incursions, runtime_ms),
                }
            }
            AlertMetric::LongIncursion => {
                value(self.durations.last_key_value().map_or(0, |(longest, _)| *longest), 1_000)
            }
            AlertMetric::UnacknowledgedIncursions => value(self.incursions - self.acknowledged, 1),
            _ => value(self.incursions, 1),
        })
    }

    /// What is received is looked at immediately, and what time alone changes every minute.
    fn next_change(&self, is_open: bool) -> Option<Timestamp> {
        let has_lag = self.metric.lag_s() > 0;
        let entering = self.items.get(self.entered).map(|item| item.enters);
        let entering = entering.map(|at| if has_lag { minute_from(at) } else { at });
        if !self.time_matters(is_open) {
            return entering;
        }
        let leaving = self.by_leaving.get(self.left).map(|place| minute_from(self.items[*place].leaves));
        let runtime = self.runtime.as_ref().and_then(RuntimeWindow::next_change);
        [entering, leaving, runtime].into_iter().flatten().min()
    }
}

#[cfg(test)]
mod tests {
    use domain::{AlertLevel, AlertScope, AlertSplit, AlertWindow};

    use super::*;

    fn minute(number: i64) -> Timestamp {
        Timestamp::from_seconds(1_770_000_000 + number * 60)
    }

    fn item(enters: i64, leaves: i64, duration_ms: i64, is_acknowledged: bool) -> FactItem {
        FactItem {
            split: [0, 0],
            enters: minute(enters),
            leaves: minute(leaves),
            duration_ms,
            is_acknowledged,
        }
    }

    fn window(metric: AlertMetric, comparison: AlertComparison, items: Vec<FactItem>) -> SplitWindow {
        let terms = AlertTerms {
            metric,
            comparison,
            threshold: AlertLevel::whole(1),
            window: Some(AlertWindow::Rolling { minutes: 60 }),
            minimum_count: metric.default_minimum_count(comparison).map(|_| 2),
            scope: AlertScope::default(),
            split_by: AlertSplit::None,
        };
        SplitWindow::new(&terms, items, Vec::new(), None, false)
    }

    fn value(window: &SplitWindow) -> Option<f64> {
        match window.judgement(false) {
            Some(Judgement::Value(value)) => Some(value.as_f64()),
            _ => None,
        }
    }

    #[test]
    fn facts_enter_and_leave() {
        let items = vec![item(5, 65, 0, false), item(0, 60, 0, true), item(10, 70, 0, false)];
        let mut counted = window(AlertMetric::Incursions, AlertComparison::Above, items.clone());
        let mut unacknowledged = window(AlertMetric::UnacknowledgedIncursions, AlertComparison::Above, items);
        let mut found = Vec::new();
        for at in [0, 5, 59, 60, 65, 70] {
            counted.advance(minute(at));
            unacknowledged.advance(minute(at));
            found.push((value(&counted), value(&unacknowledged)));
        }
        let of = |counted: f64, rest: f64| (Some(counted), Some(rest));
        assert_eq!(found[..5], [of(1.0, 0.0), of(2.0, 1.0), of(3.0, 2.0), of(2.0, 2.0), of(1.0, 1.0)]);
        // Nothing is left, so that it is measured only while a firing is open.
        assert_eq!(found[5], (None, None));
        assert_eq!(counted.judgement(true), Some(Judgement::Value(Measurement::count(0))));
    }

    #[test]
    fn what_leaves_matters_only_where_it_can_change_something() {
        let items = vec![item(0, 60, 0, true), item(5, 65, 0, false), item(90, 150, 0, true)];
        let mut above = window(AlertMetric::Incursions, AlertComparison::Above, items.clone());
        above.advance(minute(10));
        assert_eq!((above.next_change(false), above.next_change(true)), (Some(minute(90)), Some(minute(60))));
        let mut below = window(AlertMetric::Incursions, AlertComparison::Below, items.clone());
        below.advance(minute(10));
        assert_eq!(below.next_change(false), Some(minute(60)));
        let mut rate = window(AlertMetric::AcknowledgementRate, AlertComparison::Above, items);
        rate.advance(minute(0));
        // One is too few, whatever leaves.
        assert_eq!(rate.judgement(false), Some(Judgement::NoData("too_few")));
        assert_eq!(rate.next_change(false), Some(minute(5)));
        rate.advance(minute(5));
        assert_eq!((value(&rate), rate.next_change(false)), (Some(0.5), Some(minute(60))));
    }

    #[test]
    fn the_longest_of_those_in_the_window_counts() {
        let items = vec![item(0, 60, 4_000, false), item(1, 61, 9_500, false), item(2, 62, 9_500, false)];
        let mut longest = window(AlertMetric::LongIncursion, AlertComparison::Above, items);
        let mut found = Vec::new();
        for at in [0, 1, 2, 61, 62] {
            longest.advance(minute(at));
            found.push(value(&longest));
        }
        assert_eq!(found, [Some(4.0), Some(9.5), Some(9.5), Some(9.5), None]);
    }
}
