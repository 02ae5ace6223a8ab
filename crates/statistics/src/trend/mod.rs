//! Where a series is going: a line that a few wild points cannot turn (Theil, 1950; Sen, 1968).
//!
//! Its slope is the median of the slopes between all pairs of points. Up to [`EXHAUSTIVE`] points the pairs are listed; beyond,
//! `slopes` finds the same median by counting, without listing them.

mod slopes;
#[cfg(test)]
mod tests;

use crate::percentile::{median, midpoint};
use crate::wilson::ConfidenceInterval;
use slopes::Slopes;

/// Up to so many points all slopes between pairs are listed: two million of them.
const MAX_EXHAUSTIVE_POINTS: usize = 2_000;

/// A straight line through points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trend {
    /// How much y grows as x grows by one.
    pub slope: f64,
    /// Where the line is at x = 0: the median of what the slope leaves over.
    pub intercept: f64,
    /// A range that holds the true slope with 95 % confidence, by Kendall's rank statistic. None for points so few that no range
    /// would be wide enough.
    pub slope_interval: Option<ConfidenceInterval>,
    /// How many points had a y.
    pub points: usize,
}

impl Trend {
    /// Where the line is.
    pub fn at(&self, x: f64) -> f64 {
        self.intercept + self.slope * x
    }
}

/// The trend of a series with gaps. Points without a y, and those that are no finite numbers, are left out. None if fewer than
/// two places of x are left, or if the numbers are too large for a line.
pub fn theil_sen(points: impl IntoIterator<Item = (f64, Option<f64>)>) -> Option<Trend> {
    let mut points: Vec<(f64, f64)> = points
        .into_iter()
        .filter_map(|(x, y)| Some((x, y?)))
        .filter(|(x, y)| x.is_finite() && y.is_finite())
        .collect();
    points.sort_by(|left, right| left.0.total_cmp(&right.0).then(left.1.total_cmp(&right.1)));
    let origin = points.first()?.0;
    // Dates are large numbers close together: seen from the first one, their slopes keep all digits.
    for point in &mut points {
        point.0 -= origin;
    }
    let mut slopes = if points.len() <= MAX_EXHAUSTIVE_POINTS {
        Slopes::listed(&points)
    } else {
        Slopes::counted(&points)
    };
    let pairs = slopes.len();
    if pairs == 0 {
        return None;
    }
    let slope = midpoint(slopes.nth((pairs - 1) / 2), slopes.nth(pairs / 2));
    let slope_interval = interval_ranks(&points, pairs)
        .map(|(low, high)| ConfidenceInterval { low: slopes.nth(low), high: slopes.nth(high) })
        .filter(|interval| interval.low.is_finite() && interval.high.is_finite());
    let mut residuals: Vec<f64> = points.iter().map(|(x, y)| y - slope * x).collect();
    let intercept = median(&mut residuals)? - slope * origin;
    let usable = slope.is_finite() && intercept.is_finite();
    usable.then_some(Trend { slope, intercept, slope_interval, points: points.len() })
}

/// The ranks among the sorted slopes that are the ends of the interval.
fn interval_ranks(points: &[(f64, f64)], pairs: usize) -> Option<(usize, usize)> {
    const Z_95: f64 = 1.959_963_984_540_054;
    let term = |count: f64| count * (count - 1.0) * (2.0 * count + 5.0);
    let mut values: Vec<f64> = points.iter().map(|point| point.1).collect();
    values.sort_by(f64::total_cmp);
    let ties = |sorted: &mut dyn Iterator<Item = f64>| {
        let (mut total, mut run, mut last) = (0.0, 0.0, f64::NAN);
        for value in sorted {
            if value != last {
                total += term(run);
                (run, last) = (0.0, value);
            }
            run += 1.0;
        }
        total + term(run)
    };
    let tied = ties(&mut points.iter().map(|point| point.0)) + ties(&mut values.iter().copied());
    let deviation = ((term(points.len() as f64) - tied).max(0.0) / 18.0).sqrt();
    let low = ((pairs as f64 - Z_95 * deviation) / 2.0).round_ties_even() - 1.0;
    let high = ((pairs as f64 + Z_95 * deviation) / 2.0).round_ties_even();
    if low < 0.0 || high >= pairs as f64 || low > high {
        return None;
    }
    Some((low as usize, high as usize))
}
