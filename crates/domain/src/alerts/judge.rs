//! When a rule fires and clears: pure, so that the evaluation and the dry run decide alike.

use crate::{AlertTerms, ClearReason, Span, Timestamp};

pub use super::level::Measurement;

/// What is known of a split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judgement {
    Value(Measurement),
    /// Why there is no value: one of [`NO_DATA_REASONS`].
    NoData(&'static str),
}

/// The reasons why there is no value: nothing happened or ran, too little did, drift has nothing to compare with, there are more groups
/// than can be counted, or the rules before have as many splits as those of a brand may have.
pub const NO_DATA_REASONS: [&str; 7] =
    ["no_runtime", "no_incursions", "too_few", "no_baseline", "no_fall", "too_many", "too_many_of_brand"];

/// What is stored of a split: its open firing, or when the last one cleared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SplitState {
    pub open: bool,
    /// Since when the open firing has had no value.
    pub no_data_since: Option<Timestamp>,
    pub last_cleared_at: Option<Timestamp>,
}

/// What follows for a split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Crossing {
    None,
    Fire(Measurement),
    /// Still open, and there is a value, so that a time without data is over. Whether the value went further beyond is the caller's.
    Stay(Measurement),
    /// The open firing has no value from now on.
    NoDataBegins,
    Clear(ClearReason),
}

/// For how long an open firing waits for a value before it clears without one.
pub const NO_DATA_LIMIT: Span = Span::minutes(24 * 60);

/// Decides what follows from what is known of a split now. A crossing within the cool-down after a clearing fires when that is over, if the
/// value is still beyond.
pub fn judge(
    terms: &AlertTerms,
    judgement: Judgement,
    state: SplitState,
    cool_down: Span,
    clear_percent: u32,
    now: Timestamp,
) -> Crossing {
    let has_lasted = |since: Timestamp, span: Span| now - since >= span;
    match (judgement, state.open) {
        (Judgement::Value(value), true) if terms.clears(&value, clear_percent) => {
            Crossing::Clear(ClearReason::Recovered)
        }
        (Judgement::Value(value), true) => Crossing::Stay(value),
        (Judgement::Value(value), false) => {
            let has_cooled = state.last_cleared_at.is_none_or(|cleared| has_lasted(cleared, cool_down));
            if has_cooled && terms.fires(&value) { Crossing::Fire(value) } else { Crossing::None }
        }
        (Judgement::NoData(_), true) => match state.no_data_since {
            None => Crossing::NoDataBegins,
            Some(since) if has_lasted(since, NO_DATA_LIMIT) => Crossing::Clear(ClearReason::NoData),
            Some(_) => Crossing::None,
        },
        (Judgement::NoData(_), false) => Crossing::None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{AlertComparison, AlertMetric};

    fn minute(number: i64) -> Timestamp {
        Timestamp::from_seconds(1_770_000_000 + number * 60)
    }

    /// A split over time, as the evaluation keeps it.
    struct Walk {
        terms: AlertTerms,
        state: SplitState,
        cool_down: Span,
        clear_percent: u32,
    }

    impl Walk {
        fn new(terms: AlertTerms, cool_down_minutes: i64) -> Self {
            let cool_down = Span::minutes(cool_down_minutes);
            Self { terms, state: SplitState::default(), cool_down, clear_percent: 90 }
        }

        fn step(&mut self, judgement: Judgement, now: Timestamp) -> Crossing {
            let crossing = judge(&self.terms, judgement, self.state, self.cool_down, self.clear_percent, now);
            match crossing {
                Crossing::None => {}
                Crossing::Fire(_) => self.state.open = true,
                Crossing::Stay(_) => self.state.no_data_since = None,
                Crossing::NoDataBegins => self.state.no_data_since = Some(now),
                Crossing::Clear(_) => {
                    self.state = SplitState { last_cleared_at: Some(now), ..SplitState::default() };
                }
            }
            crossing
        }

        /// Returns what follows from a count.
        fn count(&mut self, value: i64, at_minute: i64) -> &'static str {
            word(self.step(Judgement::Value(Measurement::count(value)), minute(at_minute)))
        }

        fn no_data(&mut self, at_minute: i64) -> &'static str {
            word(self.step(Judgement::NoData("no_runtime"), minute(at_minute)))
        }
    }

    fn word(crossing: Crossing) -> &'static str {
        match crossing {
            Crossing::None => "none",
            Crossing::Fire(_) => "fire",
            Crossing::Stay(_) => "stay",
            Crossing::NoDataBegins => "no data",
            Crossing::Clear(reason) => reason.as_str(),
        }
    }

    fn incursions(threshold: f64) -> AlertTerms {
        AlertTerms::usual(AlertMetric::Incursions, threshold)
    }

    #[test]
    fn it_fires_at_the_threshold_and_clears_below_a_part_of_it() {
        let mut walk = Walk::new(incursions(100.0), 0);
        for (number, (value, expected)) in [
            (0, "none"),
            (99, "none"),
            (100, "fire"),
            (250, "stay"),
            (99, "stay"),
            (90, "stay"),
            (89, "recovered"),
            (99, "none"),
            (100, "fire"),
        ]
        .into_iter()
        .enumerate()
        {
            let number = i64::try_from(number).unwrap();
            assert_eq!(walk.count(value, number), expected, "{number}: {value}");
        }
    }

    #[test]
    fn a_value_that_flaps_around_the_threshold_fires_once() {
        let mut walk = Walk::new(incursions(100.0), 0);
        let steps = (0..60).map(|number| walk.count(if number % 2 == 0 { 95 } else { 105 }, number));
        let steps: Vec<_> = steps.collect();
        assert_eq!(steps.iter().filter(|step| **step == "fire").count(), 1);
        assert!(!steps.contains(&"recovered"));
    }

    #[test]
    fn a_crossing_within_the_cool_down_fires_at_its_end_if_it_lasts() {
        let mut walk = Walk::new(incursions(10.0), 60);
        assert_eq!((walk.count(10, 0), walk.count(0, 10)), ("fire", "recovered"));
        // The cool-down counts from the clearing, not from the firing.
        assert_eq!((walk.count(50, 11), walk.count(50, 69)), ("none", "none"));
        assert_eq!(walk.count(50, 70), "fire");
        assert_eq!(walk.count(0, 80), "recovered");
        assert_eq!((walk.count(50, 90), walk.count(9, 140), walk.count(10, 141)), ("none", "none", "fire"));
    }

    #[test]
    fn without_data_nothing_changes_for_a_day() {
        let mut walk = Walk::new(incursions(10.0), 0);
        assert_eq!((walk.no_data(0), walk.count(10, 1)), ("none", "fire"));
        assert_eq!((walk.no_data(2), walk.no_data(3), walk.no_data(1_441)), ("no data", "none", "none"));
        assert_eq!(walk.no_data(1_442), "no_data");
        // A value in between begins the day anew.
        assert_eq!((walk.count(10, 1_443), walk.no_data(1_444)), ("fire", "no data"));
        assert_eq!((walk.count(9, 2_000), walk.no_data(2_001)), ("stay", "no data"));
        assert_eq!((walk.no_data(2_885), walk.no_data(3_441)), ("none", "no_data"));
    }

    #[test]
    fn below_is_the_other_way_round() {
        let mut walk = Walk::new(AlertTerms::usual(AlertMetric::TagBatteryLow, 20.0), 0);
        assert_eq!((walk.count(21, 0), walk.count(20, 1), walk.count(3, 2)), ("none", "fire", "stay"));
        // 20 divided by 0.9 is 22.2.
        assert_eq!((walk.count(22, 3), walk.count(23, 4)), ("stay", "recovered"));
        // 99 divided by 0.9 is more than a battery can have; the middle between 99 and 100 counts.
        let mut full = Walk::new(AlertTerms::usual(AlertMetric::TagBatteryLow, 99.0), 0);
        assert_eq!((full.count(99, 0), full.count(100, 1)), ("fire", "recovered"));
    }

    #[test]
    fn a_threshold_of_zero_fires_at_zero() {
        let below = AlertTerms { comparison: AlertComparison::Below, ..incursions(0.0) };
        let mut silence = Walk::new(below, 0);
        assert_eq!((silence.count(1, 0), silence.count(0, 1)), ("none", "fire"));
        assert_eq!((silence.count(0, 2), silence.count(1, 3)), ("stay", "recovered"));
        // A visit that is over is not measured; while it is overdue, nothing clears it.
        let mut overstay = Walk::new(AlertTerms::usual(AlertMetric::VisitorOverstay, 0.0), 0);
        assert_eq!((overstay.count(0, 0), overstay.count(0, 1)), ("fire", "stay"));
    }

    fn any_judgement() -> impl Strategy<Value = Judgement> {
        prop_oneof![
            4 => (0..=30_i64).prop_map(|value| Judgement::Value(Measurement::count(value))),
            1 => Just(Judgement::NoData("no_runtime")),
        ]
    }

    proptest! {
        #[test]
        fn a_split_has_at_most_one_firing_and_every_one_ends_once(
            steps in prop::collection::vec((any_judgement(), 1..=900_i64), 0..200),
            threshold in 1..=25_i64,
            is_below in any::<bool>(),
            clear_percent in 50..=100_u32,
            cool_down_minutes in 0..=600_i64,
        ) {
            let comparison = if is_below { AlertComparison::Below } else { AlertComparison::Above };
            let terms = AlertTerms { comparison, ..incursions(threshold as f64) };
            let mut walk = Walk { clear_percent, ..Walk::new(terms, cool_down_minutes) };
            let (mut open, mut at_minute) = (0_i64, 0_i64);
            let mut cleared_at: Option<i64> = None;
            for (judgement, minutes) in steps {
                at_minute += minutes;
                match walk.step(judgement, minute(at_minute)) {
                    Crossing::Fire(value) => {
                        open += 1;
                        prop_assert!(walk.terms.fires(&value) && !walk.terms.clears(&value, clear_percent));
                        prop_assert!(cleared_at.is_none_or(|at| at_minute - at >= cool_down_minutes));
                    }
                    Crossing::Clear(_) => {
                        open -= 1;
                        cleared_at = Some(at_minute);
                    }
                    Crossing::Stay(_) | Crossing::NoDataBegins => prop_assert_eq!(open, 1),
                    Crossing::None => {}
                }
                prop_assert!(open == 0 || open == 1);
                prop_assert_eq!(walk.state.open, open == 1);
            }
        }
    }
}
