//! Confidence intervals of rates, which are counts by exposure, and of the ratio of two rates.

use crate::normal;
use crate::wilson::{ConfidenceInterval, wilson_interval};

/// Returns the score interval of a rate: the rates at which a Poisson count would not be unusual. `None` without exposure.
pub fn rate_interval(count: u64, exposure: f64, confidence: f64) -> Option<ConfidenceInterval> {
    let is_confidence = confidence > 0.0 && confidence < 1.0;
    if !is_exposure(exposure) || !is_confidence {
        return None;
    }
    let (count, distance) = (count as f64, normal::quantile(0.5 + confidence / 2.0));
    let square = distance * distance;
    let half = distance * (count + square / 4.0).sqrt();
    let centre = count + square / 2.0;
    let low = if count == 0.0 { 0.0 } else { (centre - half).max(0.0) / exposure };
    Some(ConfidenceInterval { low: low.min(f64::MAX), high: ((centre + half) / exposure).min(f64::MAX) })
}

/// Returns the interval of the ratio of a rate to another one. Given their sum, the first count is binomial, so that it follows from
/// the Wilson interval of its share. `None` without exposure or without any count; the upper bound is the largest number if the
/// other count is zero.
pub fn rate_ratio_interval(
    (count, exposure): (u64, f64),
    (other, other_exposure): (u64, f64),
    confidence: f64,
) -> Option<ConfidenceInterval> {
    if !is_exposure(exposure) || !is_exposure(other_exposure) {
        return None;
    }
    let share = wilson_interval(count, count.checked_add(other)?, confidence)?;
    let ratio = |share: f64| {
        let ratio = share / (1.0 - share) * (other_exposure / exposure);
        if ratio.is_finite() { ratio } else { f64::MAX }
    };
    let low = if share.low == 0.0 { 0.0 } else { ratio(share.low) };
    Some(ConfidenceInterval { low, high: ratio(share.high) })
}

fn is_exposure(exposure: f64) -> bool {
    exposure.is_finite() && exposure > 0.0
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn intervals_follow_from_the_formulas() {
        for (count, exposure, low, high) in RATES {
            let found = rate_interval(count, exposure, 0.95).unwrap();
            assert!((found.low - low).abs() < 1e-9 && (found.high - high).abs() < 1e-9, "{found:?}");
        }
        for (one, other, low, high) in RATIOS {
            let found = rate_ratio_interval(one, other, 0.95).unwrap();
            assert!((found.low - low).abs() < 1e-9 && (found.high - high).abs() < 1e-9, "{found:?}");
        }
    }

    #[test]
    fn without_exposure_nothing_is_known() {
        for exposure in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(rate_interval(3, exposure, 0.95), None);
            assert_eq!(rate_ratio_interval((3, exposure), (4, 1.0), 0.95), None);
            assert_eq!(rate_ratio_interval((3, 1.0), (4, exposure), 0.95), None);
        }
        assert_eq!(rate_ratio_interval((0, 1.0), (0, 1.0), 0.95), None);
        assert_eq!(rate_ratio_interval((5, 1.0), (0, 1.0), 0.95).unwrap().high, f64::MAX);
        assert_eq!(rate_ratio_interval((0, 1.0), (5, 1.0), 0.95).unwrap().low, 0.0);
    }

    proptest! {
        #[test]
        fn the_value_is_inside(
            (count, exposure) in (0..1_000_000_u64, 1e-3..1e6_f64),
            (other, other_exposure) in (1..1_000_000_u64, 1e-3..1e6_f64),
        ) {
            let (rate, other_rate) = (count as f64 / exposure, other as f64 / other_exposure);
            let found = rate_interval(count, exposure, 0.95).unwrap();
            prop_assert!(found.low <= rate * (1.0 + 1e-9) && rate <= found.high * (1.0 + 1e-9));
            let found = rate_ratio_interval((count, exposure), (other, other_exposure), 0.95).unwrap();
            let ratio = rate / other_rate;
            prop_assert!(found.low <= ratio * (1.0 + 1e-9) && ratio <= found.high * (1.0 + 1e-9));
        }
    }

    /// Computed by the same formulas in Python.
    const RATES: [(u64, f64, f64, f64); 3] = [
        (0, 10.0, 0.0, 0.3841458820694125),
        (7, 2.5, 1.3563455364874908, 5.780237991790159),
        (310, 738.0, 0.37582464857344333, 0.4694889812648956),
    ];
    /// A count with its exposure, another one, and the bounds of the interval of their ratio.
    type Ratio = ((u64, f64), (u64, f64), f64, f64);
    const RATIOS: [Ratio; 2] = [
        ((310, 738.0), (277, 769.0), 0.9918629879958245, 1.3710462994378494),
        ((12, 10.0), (4, 10.0), 1.0202707283643202, 8.82118809232981),
    ];
}
