//! Student's distribution: how far differences go by chance if their spread is an estimate.

use crate::beta::beta_tails;

/// Distances beyond this one are not distinguished.
const MAX_DISTANCE: f64 = 1e6;

/// Returns the probability of a value at least this far from zero in either direction; `square` is the square of the distance. The
/// degrees of freedom must be positive.
pub(crate) fn two_sided_p(square: f64, degrees: f64) -> f64 {
    let ratio = square / degrees;
    beta_tails(degrees / 2.0, 0.5, 1.0 / (1.0 + ratio), ratio / (1.0 + ratio)).below
}

/// Returns the distance from zero that is exceeded with this probability, in either direction.
pub(crate) fn distance(p: f64, degrees: f64) -> f64 {
    let is_exceeded = |distance: f64| two_sided_p(distance * distance, degrees) > p;
    let (mut low, mut high) = (0.0, 2.0);
    while high < MAX_DISTANCE && is_exceeded(high) {
        (low, high) = (high, 2.0 * high);
    }
    // Sixty halvings reach the last digits.
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if is_exceeded(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_are_what_they_are_in_tables() {
        for (value, degrees, expected) in PROBABILITIES {
            let found = two_sided_p(value * value, degrees);
            assert!((found - expected).abs() < 1e-7, "{value} {degrees}: {found} {expected}");
        }
        assert_eq!((two_sided_p(0.0, 5.0), two_sided_p(f64::INFINITY, 5.0)), (1.0, 0.0));
    }

    #[test]
    fn distances_are_what_they_are_in_tables() {
        for (degrees, expected) in
            [(1.0, 12.706_2), (5.0, 2.570_6), (10.0, 2.228_1), (54.0, 2.004_9), (1e6, 1.960_0)]
        {
            let found = distance(0.05, degrees);
            assert!((found - expected).abs() < 1e-4, "{degrees}: {found}");
        }
    }

    /// A value, the degrees of freedom, and the probability of more in either direction.
    const PROBABILITIES: [(f64, f64, f64); 5] = [
        (1.0, 1.0, 0.5),
        (2.0, 10.0, 0.073_388_03),
        (3.0, 30.0, 0.005_389_96),
        (0.5, 4.0, 0.643_329_96),
        (10.0, 3.0, 0.002_128_40),
    ];
}
