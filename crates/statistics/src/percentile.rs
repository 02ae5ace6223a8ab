//! Percentiles and medians.

/// Returns the percentile of a sorted slice by nearest rank, which is always one of its values. `None` for an empty slice;
/// percentages outside of 0 to 100 give the ends.
pub fn nearest_rank<T>(sorted: &[T], percent: f64) -> Option<&T> {
    let rank = (percent / 100.0 * sorted.len() as f64).ceil() as usize;
    sorted.get(rank.clamp(1, sorted.len().max(1)) - 1)
}

/// Returns the median, which is the mean of the two middle values if their number is even. Reorders the slice. `None` for an
/// empty slice.
pub fn median(values: &mut [f64]) -> Option<f64> {
    if values.is_empty() {
        return None;
    }
    let middle = values.len() / 2;
    let odd = values.len() % 2 == 1;
    let (lower, upper, _) = values.select_nth_unstable_by(middle, f64::total_cmp);
    let upper = *upper;
    if odd {
        return Some(upper);
    }
    let lower = lower.iter().copied().max_by(f64::total_cmp)?;
    Some(midpoint(lower, upper))
}

/// Returns the mean of two numbers without overflow.
pub(crate) fn midpoint(lower: f64, upper: f64) -> f64 {
    lower * 0.5 + upper * 0.5
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_nearest_rank_is_always_a_value_that_is_there() {
        let sorted = [15, 20, 35, 40, 50];
        for (percent, expected) in [(5.0, 15), (30.0, 20), (40.0, 20), (50.0, 35), (100.0, 50)] {
            assert_eq!(nearest_rank(&sorted, percent), Some(&expected));
        }
        assert_eq!(nearest_rank(&sorted, 0.0), Some(&15));
        assert_eq!(nearest_rank(&sorted, -7.0), Some(&15));
        assert_eq!(nearest_rank(&sorted, 1e9), Some(&50));
        assert_eq!(nearest_rank(&sorted, f64::NAN), Some(&15));
        assert_eq!(nearest_rank::<u8>(&[], 50.0), None);
    }

    #[test]
    fn the_median_is_the_middle_or_half_way() {
        assert_eq!(median(&mut [3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&mut [4.0, 1.0, 2.0, 3.0]), Some(2.5));
        assert_eq!(median(&mut []), None);
        assert_eq!(median(&mut [f64::MAX, f64::MAX]), Some(f64::MAX));
    }

    proptest! {
        #[test]
        fn at_most_half_lies_on_either_side(mut values in prop::collection::vec(-1e6..1e6_f64, 1..40)) {
            let middle = median(&mut values).unwrap();
            let below = values.iter().filter(|value| **value < middle).count();
            let above = values.iter().filter(|value| **value > middle).count();
            prop_assert!(below * 2 <= values.len() && above * 2 <= values.len());
        }
    }
}
