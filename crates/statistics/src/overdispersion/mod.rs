//! Differences between counts that come in bursts.
//!
//! The variance of a count of independent events is its mean. Events that bring others with them vary more: how many times more is
//! estimated from the counts of parts, such as days, and tests and intervals are wider by that factor (quasi-likelihood). It is the
//! variance of the sum that matters here, so the factor is the summed square of the distances of the parts from what is expected of
//! them, divided by the variance of as many independent events. That holds however the variance of a part depends on its mean.

#[cfg(test)]
mod simulation;

use crate::rates::{self, is_exposure};
use crate::student;
use crate::wilson::{self, ConfidenceInterval};

/// How many times more counts vary than those of independent events.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Overdispersion {
    /// At least 1: that parts are more alike than chance makes them is chance, too.
    factor: f64,
    /// The degrees of freedom of the estimate.
    degrees: f64,
}

/// The distances of parts from what is expected of them.
#[derive(Default)]
struct Distances {
    squares: f64,
    /// The same if events were independent.
    variance: f64,
    degrees: usize,
}

impl Distances {
    /// Adds a series of parts, from which one mean was fitted. One part alone shows nothing.
    fn add(&mut self, parts: usize, squares: f64, variance: f64) {
        if parts >= 2 {
            self.squares += squares * (parts as f64 / (parts - 1) as f64);
            self.variance += variance;
            self.degrees += parts - 1;
        }
    }

    fn estimate(&self, fitted: usize) -> Option<Overdispersion> {
        let degrees = self.degrees.checked_sub(fitted).filter(|degrees| *degrees > 0)?;
        let correction = self.degrees as f64 / degrees as f64;
        // Where nothing varies, even by chance, nothing varies more.
        let factor = if self.variance > 0.0 { self.squares / self.variance * correction } else { 1.0 };
        Some(Overdispersion { factor: factor.max(1.0), degrees: degrees as f64 })
    }
}

impl Overdispersion {
    /// Estimates it from series of counts with their exposures, of which each has a rate of its own. `fitted` is the number of further
    /// parameters that the exposures were fitted with. Counts without exposure are left out; `None` if too few are left.
    pub fn of_counts(series: &[Vec<(u64, f64)>], fitted: usize) -> Option<Self> {
        let mut distances = Distances::default();
        for parts in series {
            let parts: Vec<(f64, f64)> = parts
                .iter()
                .filter(|(_, exposure)| is_exposure(*exposure))
                .map(|(count, exposure)| (*count as f64, *exposure))
                .collect();
            let counts: f64 = parts.iter().map(|(count, _)| count).sum();
            let exposures: f64 = parts.iter().map(|(_, exposure)| exposure).sum();
            let distance = |(count, exposure): &(f64, f64)| count - counts * (exposure / exposures);
            let squares = parts.iter().map(|part| distance(part).powi(2)).sum();
            distances.add(parts.len(), squares, counts);
        }
        distances.estimate(fitted)
    }

    /// Estimates it from series of parts of wholes, such as acknowledged ones of all, of which each has a share of its own. Wholes
    /// without anything are left out; `None` if too few are left.
    pub fn of_shares(series: &[Vec<(u64, u64)>]) -> Option<Self> {
        let mut distances = Distances::default();
        for parts in series {
            let parts: Vec<(f64, f64)> = parts
                .iter()
                .filter(|(_, all)| *all > 0)
                .map(|(part, all)| ((*part).min(*all) as f64, *all as f64))
                .collect();
            let counts: f64 = parts.iter().map(|(part, _)| part).sum();
            let wholes: f64 = parts.iter().map(|(_, all)| all).sum();
            let share = if wholes > 0.0 { counts / wholes } else { 0.0 };
            let squares = parts.iter().map(|(part, all)| (part - all * share).powi(2)).sum();
            distances.add(parts.len(), squares, wholes * share * (1.0 - share));
        }
        distances.estimate(0)
    }

    /// Returns how many times more the counts vary, at least 1.
    pub const fn factor(self) -> f64 {
        self.factor
    }

    /// Returns the probability of a difference between two rates at least as large as this one if there is none. Each is a count with
    /// its exposure; `None` without exposure or without any count.
    pub fn rate_difference_p(
        self,
        (count, exposure): (u64, f64),
        (other, other_exposure): (u64, f64),
    ) -> Option<f64> {
        if !is_exposure(exposure) || !is_exposure(other_exposure) {
            return None;
        }
        // Given their sum, the first count is a part of it, with the share of its exposure.
        let (all, share) = (count as f64 + other as f64, exposure / (exposure + other_exposure));
        let variance = all * share * (1.0 - share);
        (variance > 0.0).then(|| self.two_sided_p(count as f64 - all * share, variance))
    }

    /// Returns the probability of a difference between two shares at least as large as this one if there is none. Each is a part of a
    /// whole; `None` if one of the wholes is nothing.
    pub fn share_difference_p(
        self,
        (part, all): (u64, u64),
        (other_part, other_all): (u64, u64),
    ) -> Option<f64> {
        if all == 0 || other_all == 0 {
            return None;
        }
        let (part, other_part) = (part.min(all) as f64, other_part.min(other_all) as f64);
        let (all, other_all) = (all as f64, other_all as f64);
        let pooled = (part + other_part) / (all + other_all);
        let variance = pooled * (1.0 - pooled) * (1.0 / all + 1.0 / other_all);
        let difference = part / all - other_part / other_all;
        // If both are nothing, or everything, there is no difference.
        Some(if variance > 0.0 { self.two_sided_p(difference, variance) } else { 1.0 })
    }

    /// Returns the probability of a share at least as far from a known one if that is the true one. `None` if the whole is nothing.
    pub fn share_p(self, (part, all): (u64, u64), known: f64) -> Option<f64> {
        if all == 0 || !(0.0..=1.0).contains(&known) {
            return None;
        }
        let (part, all) = (part.min(all) as f64, all as f64);
        let (difference, variance) = (part - all * known, all * known * (1.0 - known));
        match variance > 0.0 {
            true => Some(self.two_sided_p(difference, variance)),
            // What never happens, or always does, is refuted by one exception.
            false => Some(if difference == 0.0 { 1.0 } else { 0.0 }),
        }
    }

    /// Returns the interval of a rate; `None` without exposure.
    pub fn rate_interval(self, count: u64, exposure: f64, confidence: f64) -> Option<ConfidenceInterval> {
        let square = self.square(confidence)?;
        is_exposure(exposure).then(|| rates::score_interval(count, exposure, square))
    }

    /// Returns the interval of a share; `None` if the whole is nothing.
    pub fn share_interval(self, (part, all): (u64, u64), confidence: f64) -> Option<ConfidenceInterval> {
        let square = self.square(confidence)?;
        (all > 0).then(|| wilson::score_interval(part, all, square))
    }

    /// Returns the square of the distance of an interval's ends, in standard deviations of independent events.
    fn square(self, confidence: f64) -> Option<f64> {
        let is_confidence = confidence > 0.0 && confidence < 1.0;
        let distance = is_confidence.then(|| student::distance(1.0 - confidence, self.degrees))?;
        // A factor without bounds would make the interval one that is not a number.
        Some((distance * distance * self.factor).min(1e100))
    }

    fn two_sided_p(self, difference: f64, variance: f64) -> f64 {
        student::two_sided_p(difference / variance * difference / self.factor, self.degrees)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Twenty days with as many counts on each.
    fn even(count: u64) -> Vec<(u64, f64)> {
        vec![(count, 8.0); 20]
    }

    /// The same number in bursts: all of four days on the last of them.
    fn in_bursts(count: u64) -> Vec<(u64, f64)> {
        (1..=20).map(|day| (if day % 4 == 0 { 4 * count } else { 0 }, 8.0)).collect()
    }

    fn total(days: &[(u64, f64)]) -> (u64, f64) {
        days.iter().fold((0, 0.0), |sum, day| (sum.0 + day.0, sum.1 + day.1))
    }

    #[test]
    fn the_same_difference_is_clear_without_bursts_and_chance_with_them() {
        let p = |now: Vec<(u64, f64)>, before: Vec<(u64, f64)>| {
            let (one, other) = (total(&now), total(&before));
            let spread = Overdispersion::of_counts(&[now, before], 0).unwrap();
            (spread.factor(), spread.rate_difference_p(one, other).unwrap())
        };
        // 200 against 160 in as many hours.
        let (factor, clear) = p(even(10), even(8));
        assert!(factor == 1.0 && clear < 0.05, "{factor} {clear}");
        let (factor, chance) = p(in_bursts(10), in_bursts(8));
        assert!((28.0..29.0).contains(&factor) && chance > 0.6, "{factor} {chance}");
        // What is large enough is clear in spite of bursts.
        let (_, clear) = p(in_bursts(80), in_bursts(8));
        assert!(clear < 0.05, "{clear}");
    }

    #[test]
    fn exposures_explain_what_they_explain() {
        // Twice the hours, twice the count: nothing varies beyond that.
        let days: Vec<(u64, f64)> =
            (0..14).map(|day| if day % 2 == 0 { (20, 10.0) } else { (10, 5.0) }).collect();
        assert_eq!(Overdispersion::of_counts(&[days], 0).unwrap().factor(), 1.0);
        let alike: Vec<(u64, f64)> = (0..14).map(|day| (if day % 2 == 0 { 20 } else { 10 }, 8.0)).collect();
        // 25 for each of 14 days, of which one mean was fitted, by 15.
        let found = Overdispersion::of_counts(&[alike], 0).unwrap().factor();
        assert!((found - 25.0 * 14.0 / 13.0 / 15.0).abs() < 1e-12, "{found}");
    }

    #[test]
    fn shares_of_days_differ_from_day_to_day() {
        let steady = vec![(5, 10); 20];
        let moody: Vec<(u64, u64)> = (0..20).map(|day| (if day % 2 == 0 { 10 } else { 0 }, 10)).collect();
        let of = |days: &Vec<(u64, u64)>| Overdispersion::of_shares(std::slice::from_ref(days)).unwrap();
        assert_eq!(of(&steady).factor(), 1.0);
        // 25 for each of 20 days by 2.5.
        assert!((of(&moody).factor() - 10.0 * 20.0 / 19.0).abs() < 1e-9);
        let p = |spread: Overdispersion| spread.share_difference_p((100, 200), (70, 200)).unwrap();
        assert!(p(of(&steady)) < 0.01 && p(of(&moody)) > 0.3);
        let p = |spread: Overdispersion| spread.share_p((100, 200), 0.4).unwrap();
        assert!(p(of(&steady)) < 0.01 && p(of(&moody)) > 0.3);
        let wide = of(&moody).share_interval((100, 200), 0.95).unwrap();
        let narrow = of(&steady).share_interval((100, 200), 0.95).unwrap();
        assert!(wide.low < narrow.low - 0.1 && wide.high > narrow.high + 0.1, "{wide:?} {narrow:?}");
        assert_eq!(of(&vec![(10, 10); 5]).share_p((50, 50), 1.0), Some(1.0));
        assert_eq!(of(&steady).share_p((1, 200), 0.0), Some(0.0));
    }

    #[test]
    fn too_few_days_show_nothing() {
        assert_eq!(Overdispersion::of_counts(&[vec![(5, 1.0)], vec![(9, 1.0)]], 0), None);
        assert_eq!(Overdispersion::of_counts(&[vec![(5, 1.0), (3, 0.0)], vec![]], 0), None);
        assert_eq!(Overdispersion::of_counts(&[vec![(5, 1.0); 7]], 6), None);
        assert_eq!(Overdispersion::of_shares(&[vec![(0, 0); 9]]), None);
        let spread = Overdispersion::of_counts(&[vec![(0, 1.0); 9]], 0).unwrap();
        assert_eq!(spread.rate_difference_p((0, 1.0), (0, 1.0)), None);
        assert_eq!(spread.rate_difference_p((1, 0.0), (1, 1.0)), None);
        assert_eq!(spread.share_difference_p((0, 0), (1, 1)), None);
        assert_eq!(spread.rate_interval(1, f64::NAN, 0.95), None);
    }

    proptest! {
        #[test]
        fn nothing_is_ever_not_a_number(
            days in proptest::collection::vec((any::<u64>(), -1.0..1e300_f64), 0..9),
            (part, all) in (any::<u64>(), any::<u64>()),
            known in 0.0..=1.0_f64,
        ) {
            let shares: Vec<(u64, u64)> = days.iter().map(|(count, _)| (*count / 3, *count)).collect();
            let spreads = [Overdispersion::of_counts(&[days], 0), Overdispersion::of_shares(&[shares])];
            for spread in spreads.into_iter().flatten() {
                prop_assert!(spread.factor() >= 1.0 && spread.factor().is_finite());
                let probabilities = [
                    spread.rate_difference_p((part, 1.0), (all, 1e300)),
                    spread.share_difference_p((part, all), (1, 2)),
                    spread.share_p((part, all), known),
                ];
                prop_assert!(probabilities.into_iter().flatten().all(|p| (0.0..=1.0).contains(&p)));
                let rate = spread.rate_interval(part, 1.0, 0.95);
                let share = spread.share_interval((part, all), 0.95);
                for interval in [rate, share].into_iter().flatten() {
                    prop_assert!(interval.low.is_finite() && interval.high.is_finite());
                    prop_assert!(interval.low <= interval.high);
                }
            }
        }
    }
}
