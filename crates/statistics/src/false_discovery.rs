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
