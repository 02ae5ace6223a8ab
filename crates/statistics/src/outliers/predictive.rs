//! The predictive distribution of the count of a member like its peers: a mixture of negative binomials over the probable
//! dispersions.

use crate::negative_binomial::{NegativeBinomial, Tails};
use crate::normal;

/// The probability beyond either end of the interval.
const TAIL_PROBABILITY: f64 = 0.025;

/// Upper limit of the search, where doubles still distinguish one count from the next.
const MAX_COUNT: f64 = 1e15;

/// A negative binomial distribution with its weight.
#[derive(Clone, Copy, Debug)]
pub(super) struct Component {
    pub(super) weight: f64,
    pub(super) mean: f64,
    pub(super) dispersion: f64,
}

#[derive(Clone, Debug)]
pub(super) struct PredictiveDistribution {
    components: Vec<Component>,
}

impl PredictiveDistribution {
    /// The weights must add up to 1.
    pub(super) fn new(components: Vec<Component>) -> Self {
        Self { components }
    }

    pub(super) fn mean(&self) -> f64 {
        self.components.iter().map(|component| component.weight * component.mean).sum()
    }

    pub(super) fn tails(&self, count: f64) -> Tails {
        self.components.iter().fold(Tails::default(), |sum, component| {
            let tails = NegativeBinomial::new(component.mean, component.dispersion).tails(count);
            Tails {
                at_most: sum.at_most + component.weight * tails.at_most,
                exactly: sum.exactly + component.weight * tails.exactly,
                above: sum.above + component.weight * tails.above,
            }
        })
    }

    /// Returns the 95 % prediction interval. A count lies outside exactly if its two-sided p-value is at most 0.05.
    pub(super) fn interval(&self) -> (u64, u64) {
        let low = self.first_count_where(-2.0, |tails| tails.at_most > TAIL_PROBABILITY);
        let high = self.first_count_where(2.0, |tails| tails.above <= TAIL_PROBABILITY);
        (low, high.max(low))
    }

    /// Finds the first count for which a monotonic condition is true, starting at a distance from the mean in standard
    /// deviations.
    fn first_count_where(&self, distance: f64, is_true: impl Fn(&Tails) -> bool) -> u64 {
        let wanted = normal::quantile(if distance < 0.0 { TAIL_PROBABILITY } else { 1.0 - TAIL_PROBABILITY });
        let probe = |count: f64| {
            let tails = self.tails(count);
            Probe { count, is_true: is_true(&tails), score: tails.above_score() }
        };
        // The logarithm of the count is approximately normal, so the first guess is close.
        let mean = self.mean();
        let spread = self.spread();
        let guess = (mean.ln() + distance * spread).exp().clamp(0.0, MAX_COUNT).floor();
        let mut below = Probe { count: -1.0, is_true: false, score: f64::NEG_INFINITY };
        let mut above = probe(guess);
        let mut stride = 0.1 * spread;
        if above.is_true {
            while above.count > 0.0 {
                let next = probe(step_away(above.count, -stride));
                if !next.is_true {
                    below = next;
                    break;
                }
                above = next;
                stride *= 2.0;
            }
        } else {
            while !above.is_true && above.count < MAX_COUNT {
                below = above;
                above = probe(step_away(above.count, stride).min(MAX_COUNT));
                stride *= 2.0;
            }
        }
        let mut turn = 0;
        while above.count - below.count > 1.0 {
            let next = probe(next_probe_count(&below, &above, wanted, turn));
            if next.is_true {
                above = next;
            } else {
                below = next;
            }
            turn += 1;
        }
        above.count as u64
    }

    /// Returns the approximate standard deviation of the count's logarithm.
    fn spread(&self) -> f64 {
        let dispersion: f64 =
            self.components.iter().map(|component| component.weight * component.dispersion).sum();
        (dispersion + 1.0 / self.mean().max(1e-9)).ln_1p().sqrt().clamp(1e-6, 5.0)
    }
}

/// A count at which the condition was evaluated.
#[derive(Clone, Copy)]
struct Probe {
    count: f64,
    is_true: bool,
    score: f64,
}

/// Moves a count by a step of its logarithm, and by at least one.
fn step_away(count: f64, stride: f64) -> f64 {
    let next = (count + 0.5) * stride.exp() - 0.5;
    if stride < 0.0 { next.floor().min(count - 1.0).max(0.0) } else { next.ceil().max(count + 1.0) }
}

/// Chooses a count strictly between two: where the score should match, then just to either side of it, then half-way.
fn next_probe_count(below: &Probe, above: &Probe, wanted: f64, turn: u32) -> f64 {
    let width = above.count - below.count;
    let share = (wanted - below.score) / (above.score - below.score);
    let guess = if share.is_finite() { below.count + width * share } else { below.count + width * 0.5 };
    let margin = width / 32.0;
    let next = match turn % 3 {
        0 => guess,
        1 if guess - below.count < above.count - guess => guess + margin,
        1 => guess - margin,
        _ => below.count + width * 0.5,
    };
    next.floor().clamp(below.count + 1.0, above.count - 1.0)
}

impl Tails {
    /// Returns the score of the count in standard deviations; half of the count's own probability is assigned to either side.
    pub(super) fn score(&self) -> f64 {
        let below = (self.at_most - 0.5 * self.exactly).max(0.0);
        let above = self.above + 0.5 * self.exactly;
        if below < above { normal::quantile(below) } else { -normal::quantile(above) }
    }

    /// Returns the score of the upper end of the count.
    fn above_score(&self) -> f64 {
        if self.at_most < self.above { normal::quantile(self.at_most) } else { -normal::quantile(self.above) }
    }
}
