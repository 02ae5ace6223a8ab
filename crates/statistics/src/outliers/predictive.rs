//! The counts that a member like its peers would have: a mixture of negative binomials, one for each dispersion that is probable.

use crate::negative_binomial::{NegativeBinomial, Tails};
use crate::normal;

/// The share of the predictive distribution beyond either end of the interval.
const TAIL_PROBABILITY: f64 = 0.025;

/// Counts are looked for up to here, where doubles still tell one count from the next.
const MAX_COUNT: f64 = 1e15;

/// One negative binomial, and how probable it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Component {
    pub(super) weight: f64,
    pub(super) mean: f64,
    pub(super) dispersion: f64,
}

/// The distribution of a count that was not looked at yet.
#[derive(Clone, Debug)]
pub(super) struct PredictiveDistribution {
    components: Vec<Component>,
}

impl PredictiveDistribution {
    /// Puts them together; their weights add up to 1.
    pub(super) fn new(components: Vec<Component>) -> Self {
        Self { components }
    }

    /// The mean count.
    pub(super) fn mean(&self) -> f64 {
        self.components.iter().map(|component| component.weight * component.mean).sum()
    }

    /// What lies on either side of a count.
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

    /// The fewest and the most that would not surprise. A count is outside exactly if its two-sided probability is at most 0.05.
    pub(super) fn interval(&self) -> (u64, u64) {
        let low = self.first_count_where(-2.0, |tails| tails.at_most > TAIL_PROBABILITY);
        let high = self.first_count_where(2.0, |tails| tails.above <= TAIL_PROBABILITY);
        (low, high.max(low))
    }

    /// The first count of which something is true, that is true of all larger ones too, and is near some distance from the mean.
    fn first_count_where(&self, distance: f64, is_true: impl Fn(&Tails) -> bool) -> u64 {
        let wanted = normal::quantile(if distance < 0.0 { TAIL_PROBABILITY } else { 1.0 - TAIL_PROBABILITY });
        let probe = |count: f64| {
            let tails = self.tails(count);
            Probe { count, is_true: is_true(&tails), score: tails.above_score() }
        };
        // Where the logarithm of the count is about normal, the first guess is close.
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

    /// About the standard deviation of the count's logarithm.
    fn spread(&self) -> f64 {
        let dispersion: f64 =
            self.components.iter().map(|component| component.weight * component.dispersion).sum();
        (dispersion + 1.0 / self.mean().max(1e-9)).ln_1p().sqrt().clamp(1e-6, 5.0)
    }
}

/// A count that was looked at.
#[derive(Clone, Copy)]
struct Probe {
    count: f64,
    is_true: bool,
    score: f64,
}

/// A count that is larger or smaller by a stride of its logarithm, and by one at least.
fn step_away(count: f64, stride: f64) -> f64 {
    let next = (count + 0.5) * stride.exp() - 0.5;
    if stride < 0.0 { next.floor().min(count - 1.0).max(0.0) } else { next.ceil().max(count + 1.0) }
}

/// A count strictly between two: where the score should be right, then just to either side of it, then half-way.
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
    /// How surprising the count is, in standard deviations: half of its own probability lies on either side of it.
    pub(super) fn score(&self) -> f64 {
        let below = (self.at_most - 0.5 * self.exactly).max(0.0);
        let above = self.above + 0.5 * self.exactly;
        if below < above { normal::quantile(below) } else { -normal::quantile(above) }
    }

    /// How far out the end of the count is, in standard deviations.
    fn above_score(&self) -> f64 {
        if self.at_most < self.above { normal::quantile(self.at_most) } else { -normal::quantile(self.above) }
    }
}
