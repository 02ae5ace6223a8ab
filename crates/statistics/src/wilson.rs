//! Confidence intervals of proportions.

use crate::normal;

/// A range that contains the true value with a stated confidence.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConfidenceInterval {
    pub low: f64,
    pub high: f64,
}

/// Returns the Wilson score interval (1927) of a proportion, which is reliable for few trials and for proportions near 0 and 1
/// too. `confidence` is a number such as 0.95. More successes than trials count as all; `None` without trials.
pub fn wilson_interval(successes: u64, trials: u64, confidence: f64) -> Option<ConfidenceInterval> {
    if trials == 0 || !(confidence > 0.0 && confidence < 1.0) {
        return None;
    }
    let distance = normal::quantile(0.5 + confidence / 2.0);
    Some(score_interval(successes, trials, distance * distance))
}

/// Returns the proportions from which a number of successes differs by less than a distance, given by its square, in standard
/// deviations of independent trials. There must be trials.
pub(crate) fn score_interval(successes: u64, trials: u64, square: f64) -> ConfidenceInterval {
    let successes = successes.min(trials);
    let count = trials as f64;
    let share = successes as f64 / count;
    let failed = (trials - successes) as f64 / count;
    let weight = square / count;
    let centre = (share + weight / 2.0) / (1.0 + weight);
    let half = square.sqrt() / (1.0 + weight) * (share * failed / count + weight / (4.0 * count)).sqrt();
    // Exact at the ends, where rounding would leave a remainder.
    let low = if successes == 0 { 0.0 } else { (centre - half).max(0.0) };
    let high = if successes == trials { 1.0 } else { (centre + half).min(1.0) };
    ConfidenceInterval { low, high }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn intervals_are_what_they_are_elsewhere() {
        for (successes, trials, confidence, low, high) in INTERVALS {
            let found = wilson_interval(successes, trials, confidence).unwrap();
            assert!(
                (found.low - low).abs() < 1e-9 && (found.high - high).abs() < 1e-9,
                "{found:?} {low} {high}"
            );
        }
    }

    #[test]
    fn without_trials_nothing_is_known() {
        assert_eq!(wilson_interval(0, 0, 0.95), None);
        assert_eq!(wilson_interval(1, 2, 1.0), None);
        assert_eq!(wilson_interval(1, 2, f64::NAN), None);
        assert_eq!(wilson_interval(5, 3, 0.95), wilson_interval(3, 3, 0.95));
    }

    proptest! {
        #[test]
        fn the_share_is_inside(successes in any::<u64>(), trials in 1..u64::MAX, confidence in 0.01..0.9999_f64) {
            let found = wilson_interval(successes, trials, confidence).unwrap();
            let share = successes.min(trials) as f64 / trials as f64;
            prop_assert!(0.0 <= found.low && found.low <= share + 1e-12);
            prop_assert!(share - 1e-12 <= found.high && found.high <= 1.0);
        }
    }

    /// From scipy.stats.binomtest(…).proportion_ci(method="wilson").
    const INTERVALS: [(u64, u64, f64, f64, f64); 4] = [
        (0, 10, 0.95, 0.0, 0.27753279986288926),
        (7, 10, 0.95, 0.39677814746114526, 0.892208732593699),
        (180, 1000, 0.99, 0.1508473022314413, 0.2133710433067391),
        (50, 50, 0.9, 0.9486668142137299, 1.0),
    ];
}
