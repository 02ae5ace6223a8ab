//! Drift: a rate that fell and climbs back.
//!
//! Three rates are compared, each of a few parts in a row, such as weeks: the baseline, the lowest since, and the last one. Counts come
//! in bursts, and the lowest of many is low by chance, too. So the last rate counts by its lower bound, the lowest by an upper bound that
//! holds for all of the windows it was chosen from, and without a fall that is beyond chance there is nothing to climb back from.

#[cfg(test)]
mod simulation;
#[cfg(test)]
mod tests;

use crate::rates::is_exposure;
use crate::{ConfidenceInterval, Overdispersion, adjust_for_choice, median};

/// The confidence of the interval of the last rate, of the upper bound of the lowest one, and that there was a fall.
const CONFIDENCE: f64 = 0.95;

/// A count with its exposure.
type Part = (u64, f64);

/// How much of the fall from a baseline was climbed back.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drift {
    pub baseline: f64,
    /// The lowest rate of a window since the baseline, as it was counted.
    pub lowest: f64,
    /// The place of that window's first part.
    pub lowest_at: usize,
    /// The upper bound of the lowest rate, which allows for its being the lowest of many.
    pub lowest_high: f64,
    /// The rate of the last window.
    pub now: f64,
    pub now_interval: ConfidenceInterval,
    /// Per cent of the fall from the baseline to the upper bound of the lowest rate that the lower bound of the last rate has climbed
    /// back, at least 0; above 100 if that is above the baseline.
    pub climbed: f64,
}

/// Why there is no drift to report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoDrift {
    /// The last window has too little exposure.
    TooLittleNow,
    /// The baseline has no parts, or one without exposure.
    NoBaseline,
    /// The rate has not fallen since the baseline by more than chance explains.
    NoFall,
}

/// Compares the parts after a baseline with it, oldest first: windows of as many parts as the baseline has. The last window is the
/// current one; the lowest rate is sought in those that end before it. Windows with less exposure than `least_exposure` are left out. Parts
/// without exposure may stand for times at which nothing ran.
pub fn measure_drift(baseline: &[Part], since: &[Part], least_exposure: f64) -> Result<Drift, NoDrift> {
    let before = baseline_rate(baseline).ok_or(NoDrift::NoBaseline)?;
    let size = baseline.len();
    let is_enough = |(_, exposure): &Part| is_exposure(*exposure) && *exposure >= least_exposure;
    let now_from = since.len().checked_sub(size).ok_or(NoDrift::TooLittleNow)?;
    let now = Some(sum(&since[now_from..])).filter(is_enough).ok_or(NoDrift::TooLittleNow)?;

    let windows: Vec<(usize, Part)> = since[..now_from]
        .windows(size)
        .enumerate()
        .map(|(place, parts)| (place, sum(parts)))
        .filter(|(_, window)| is_enough(window))
        .collect();
    let lowest = windows.iter().min_by(|(_, one), (_, other)| rate(*one).total_cmp(&rate(*other)));
    let &(lowest_at, lowest) = lowest.ok_or(NoDrift::NoFall)?;
    let spread = spread_of(baseline, since).ok_or(NoDrift::NoFall)?;
    let p = spread.rate_difference_p(sum(baseline), lowest).ok_or(NoDrift::NoFall)?;
    let is_beyond_chance = adjust_for_choice(p, windows.len() as u64) < 1.0 - CONFIDENCE;
    if !is_beyond_chance || rate(lowest) >= rate(sum(baseline)) {
        return Err(NoDrift::NoFall);
    }
    // Chance was judged by the mean of the baseline. Its median can be far from that, and must be above the lowest rate, too.
    let lowest_high = upper_bound_of_lowest(lowest, windows.len(), spread).ok_or(NoDrift::NoFall)?;
    if lowest_high >= before {
        return Err(NoDrift::NoFall);
    }
    let now_interval = spread.rate_interval(now.0, now.1, CONFIDENCE).ok_or(NoDrift::TooLittleNow)?;
    let climbed = 100.0 * (now_interval.low - lowest_high) / (before - lowest_high);
    Ok(Drift {
        baseline: before,
        lowest: rate(lowest),
        lowest_at,
        lowest_high,
        now: rate(now),
        now_interval,
        climbed: if climbed.is_nan() { 0.0 } else { climbed.clamp(0.0, f64::MAX) },
    })
}

/// Returns the rate of a baseline, the median of the rates of its parts; `None` without parts, or if one has no exposure.
pub fn baseline_rate(parts: &[Part]) -> Option<f64> {
    let mut rates: Vec<f64> = parts.iter().map(|part| rate(*part)).collect();
    let is_complete = parts.iter().all(|(_, exposure)| is_exposure(*exposure));
    median(&mut rates).filter(|_| is_complete)
}

/// Returns how much more parts vary than independent events. Each window has a rate of its own, since rates fall and climb.
fn spread_of(baseline: &[Part], since: &[Part]) -> Option<Overdispersion> {
    let mut series = vec![baseline.to_vec()];
    // From the end, so that the last window is one of them.
    series.extend(since.rchunks(baseline.len().max(1)).map(<[Part]>::to_vec));
    Overdispersion::of_counts(&series, 0)
}

/// Returns the rate at which one in twenty sets of windows would have one that is as low as this (Šidák). Windows that overlap are taken
/// as independent, which makes it rather too high, and what was climbed back rather too small.
fn upper_bound_of_lowest(lowest: Part, windows: usize, spread: Overdispersion) -> Option<f64> {
    let above = CONFIDENCE.powf(1.0 / windows.max(1) as f64);
    spread.rate_interval(lowest.0, lowest.1, 2.0 * above - 1.0).map(|interval| interval.high)
}

fn sum(parts: &[Part]) -> Part {
    parts.iter().fold((0, 0.0), |sum: Part, part| (sum.0.saturating_add(part.0), sum.1 + part.1))
}

/// Returns a rate. There must be an exposure.
fn rate((count, exposure): Part) -> f64 {
    (count as f64 / exposure).min(f64::MAX)
}
