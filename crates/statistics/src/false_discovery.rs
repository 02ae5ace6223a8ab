//! Correction for multiple testing.

/// Adjusts p-values for multiple testing (Benjamini and Hochberg, 1995): of the results with an adjusted value below 0.05, at
/// most one in twenty is expected to be a false discovery. Keeps the order; a value that is not a probability counts as 1.
pub fn benjamini_hochberg(probabilities: &[f64]) -> Vec<f64> {
    let clean = |p: f64| if p.is_nan() { 1.0 } else { p.clamp(0.0, 1.0) };
    let count = probabilities.len();
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by(|&left, &right| clean(probabilities[right]).total_cmp(&clean(probabilities[left])));
    let mut result = vec![1.0; count];
    let mut least: f64 = 1.0;
    for (larger, index) in order.into_iter().enumerate() {
        let rank = count - larger;
        least = least.min(clean(probabilities[index]) * (count as f64 / rank as f64));
        result[index] = least;
    }
    result
}

/// Adjusts the p-value of something that was chosen among candidates because it has most (Šidák, 1967): the probability that any of them
/// would be as unusual.
pub fn adjust_for_choice(p: f64, candidates: u64) -> f64 {
    if p.is_nan() {
        return 1.0;
    }
    // One candidate needs no choice.
    -((-p.clamp(0.0, 1.0)).ln_1p() * candidates.max(1) as f64).exp_m1()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn adjusted_probabilities_are_what_they_are_elsewhere() {
        // From scipy.stats.false_discovery_control.
        let given = [0.01, 0.04, 0.03, 0.005, 0.55, 0.2, 0.03];
        let expected = [0.035, 0.055999999999999994, 0.0525, 0.035, 0.55, 0.23333333333333336, 0.0525];
        for (found, expected) in benjamini_hochberg(&given).into_iter().zip(expected) {
            assert!((found - expected).abs() < 1e-12);
        }
    }

    #[test]
    fn the_most_of_many_is_less_unusual() {
        for (p, candidates, expected) in [
            (0.05, 1, 0.05),
            (0.05, 0, 0.05),
            (0.05, 22, 0.676_466_455),
            (1e-6, 22, 2.199_976_9e-5),
            (1.0, 3, 1.0),
        ] {
            let found = adjust_for_choice(p, candidates);
            assert!((found - expected).abs() <= 1e-6 * expected, "{p} {candidates}: {found}");
        }
        assert_eq!(adjust_for_choice(0.0, 5), 0.0);
        assert_eq!(adjust_for_choice(f64::NAN, 5), 1.0);
    }

    #[test]
    fn nothing_asked_is_nothing_answered() {
        assert!(benjamini_hochberg(&[]).is_empty());
        assert_eq!(benjamini_hochberg(&[f64::NAN, 2.0, -1.0]), [1.0, 1.0, 0.0]);
    }

    proptest! {
        #[test]
        fn adjusting_keeps_the_order_and_only_raises(given in prop::collection::vec(0.0..=1.0_f64, 0..60)) {
            let result = benjamini_hochberg(&given);
            for (left, p) in given.iter().enumerate() {
                prop_assert!(result[left] >= *p && result[left] <= 1.0);
                for (right, other) in given.iter().enumerate() {
                    prop_assert!(p > other || result[left] <= result[right]);
                }
            }
        }
    }
}
