//! Confidence intervals of rates, which are counts by exposure.

use crate::normal;
use crate::wilson::ConfidenceInterval;

/// Returns the score interval of a rate: the rates at which a Poisson count would not be unusual. `None` without exposure.
pub fn rate_interval(count: u64, exposure: f64, confidence: f64) -> Option<ConfidenceInterval> {
    let is_confidence = confidence > 0.0 && confidence < 1.0;
    if !is_exposure(exposure) || !is_confidence {
        return None;
    }
    let distance = normal::quantile(0.5 + confidence / 2.0);
    Some(score_interval(count, exposure, distance * distance))
}

/// Returns the rates from which a count differs by less than a distance, given by its square, in standard deviations of a Poisson
/// count. There must be an exposure.
pub(crate) fn score_interval(count: u64, exposure: f64, square: f64) -> ConfidenceInterval {
    let count = count as f64;
    let half = (square * (count + square / 4.0)).sqrt();
    let centre = count + square / 2.0;
    let low = if count == 0.0 { 0.0 } else { (centre - half).max(0.0) / exposure };
    ConfidenceInterval { low: low.min(f64::MAX), high: ((centre + half) / exposure).min(f64::MAX) }
}

pub(crate) fn is_exposure(exposure: f64) -> bool {
    exposure.is_finite() && exposure > 0.0
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn intervals_follow_from_the_formula() {
        for (count, exposure, low, high) in RATES {
            let found = rate_interval(count, exposure, 0.95).unwrap();
            assert!((found.low - low).abs() < 1e-9 && (found.high - high).abs() < 1e-9, "{found:?}");
        }
    }

    #[test]
    fn without_exposure_nothing_is_known() {
        for exposure in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(rate_interval(3, exposure, 0.95), None);
        }
        assert_eq!(rate_interval(3, 1.0, 1.0), None);
    }

    proptest! {
        #[test]
        fn the_value_is_inside(count in 0..1_000_000_u64, exposure in 1e-3..1e6_f64) {
            let rate = count as f64 / exposure;
            let found = rate_interval(count, exposure, 0.95).unwrap();
            prop_assert!(found.low <= rate * (1.0 + 1e-9) && rate <= found.high * (1.0 + 1e-9));
        }
    }

    /// Computed by the same formula in Python.
    const RATES: [(u64, f64, f64, f64); 3] = [
        (0, 10.0, 0.0, 0.3841458820694125),
        (7, 2.5, 1.3563455364874908, 5.780237991790159),
        (310, 738.0, 0.37582464857344333, 0.4694889812648956),
    ];
}
