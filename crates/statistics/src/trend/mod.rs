//! The robust trend line of a series (Theil, 1950; Sen, 1968).
//!
//! Its slope is the median of the slopes between all pairs of points. Up to `MAX_EXHAUSTIVE_POINTS` points the slopes are
//! listed; beyond that, `slopes` finds the same median by counting, without listing them.

mod slopes;
#[cfg(test)]
mod tests;

use crate::percentile::{median, midpoint};
use crate::wilson::ConfidenceInterval;
use slopes::Slopes;

/// The largest number of points for which all slopes are listed: two million of them.
const MAX_EXHAUSTIVE_POINTS: usize = 2_000;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trend {
    /// The change of y per unit of x.
    pub slope: f64,
    /// The value at x = 0: the median of the residuals.
    pub intercept: f64,
    /// The 95 % confidence interval of the slope, by Kendall's rank statistic. `None` if there are too few points for one.
    pub slope_interval: Option<ConfidenceInterval>,
    /// Number of points with a y.
    pub points: usize,
}

impl Trend {
    /// Returns the value of the line at x.
    pub fn at(&self, x: f64) -> f64 {
        self.intercept + self.slope * x
    }
}

/// Computes the trend of a series with gaps. Points without a y or with numbers that are not finite are ignored. `None` if
/// fewer than two distinct x remain, or if the numbers are too large for a line.
pub fn theil_sen(points: impl IntoIterator<Item = (f64, Option<f64>)>) -> Option<Trend> {
    let mut points: Vec<(f64, f64)> = points
        .into_iter()
        .filter_map(|(x, y)| Some((x, y?)))
        .filter(|(x, y)| x.is_finite() && y.is_finite())
        .collect();
    points.sort_by(|left, right| left.0.total_cmp(&right.0).then(left.1.total_cmp(&right.1)));
    let origin = points.first()?.0;
    // Dates are large numbers close together; relative to the first one, slopes keep their precision.
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

/// Returns the ranks of the interval's ends among the sorted slopes.
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
