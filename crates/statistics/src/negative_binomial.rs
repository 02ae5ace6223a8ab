//! The negative binomial distribution: Poisson counts with gamma-distributed rates.

use crate::beta;

/// A negative binomial distribution with variance `mean + dispersion · mean²`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NegativeBinomial {
    mean: f64,
    shape: f64,
}

/// The probabilities of a count, of smaller ones and of larger ones.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tails {
    /// The probability of this count or fewer.
    pub(crate) at_most: f64,
    /// The probability of exactly this count.
    pub(crate) exactly: f64,
    /// The probability of more than this count.
    pub(crate) above: f64,
}

impl NegativeBinomial {
    /// Both arguments must be positive.
    pub(crate) fn new(mean: f64, dispersion: f64) -> Self {
        Self { mean, shape: 1.0 / dispersion }
    }

    pub(crate) fn tails(self, count: f64) -> Tails {
        let sum = self.shape + self.mean;
        let (none_share, more_share) = (self.shape / sum, self.mean / sum);
        let exactly = if count < 1.0 {
            (-self.shape * (self.mean / self.shape).ln_1p()).exp()
        } else {
            (beta::ln_prefactor(self.shape, count, none_share, more_share) - count.ln()).exp()
        };
        let parts = beta::beta_tails(self.shape, count + 1.0, none_share, more_share);
        Tails { at_most: parts.below, exactly: exactly.clamp(0.0, 1.0), above: parts.above }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn tails_are_what_they_are_elsewhere() {
        for (mean, dispersion, count, expected) in TAILS {
            let found = NegativeBinomial::new(mean, dispersion).tails(count);
            for (found, expected) in [found.at_most, found.exactly, found.above].into_iter().zip(expected) {
                let close = (found - expected).abs() <= 1e-9 * expected;
                assert!(close, "{mean} {dispersion} {count}: {found} {expected}");
            }
        }
    }

    #[test]
    fn all_counts_together_make_a_whole() {
        let distribution = NegativeBinomial::new(7.5, 0.4);
        let sum: f64 = (0..400).map(|count| distribution.tails(f64::from(count)).exactly).sum();
        assert!((sum - 1.0).abs() < 1e-12);
        let up_to_nine: f64 = (0..10).map(|count| distribution.tails(f64::from(count)).exactly).sum();
        assert!((up_to_nine - distribution.tails(9.0).at_most).abs() < 1e-13);
    }

    proptest! {
        #[test]
        fn the_tails_add_up_and_never_turn_back(
            mean in -6.0..12.0_f64, dispersion in -6.0..1.0_f64, count in 0..10_000_000_u64, more in 1..1_000_000_u64,
        ) {
            let distribution = NegativeBinomial::new(10_f64.powf(mean), 10_f64.powf(dispersion));
            let tails = distribution.tails(count as f64);
            let later = distribution.tails((count + more) as f64);
            prop_assert!((tails.at_most + tails.above - 1.0).abs() < 1e-9);
            prop_assert!(tails.exactly <= tails.at_most + 1e-9);
            prop_assert!(tails.at_most <= later.at_most + 1e-9);
            prop_assert!(later.above <= tails.above + 1e-9);
        }

        #[test]
        fn the_next_count_is_what_lies_between(mean in -2.0..7.0_f64, dispersion in -6.0..1.0_f64, place in 0.2..5.0_f64) {
            let mean = 10_f64.powf(mean);
            let distribution = NegativeBinomial::new(mean, 10_f64.powf(dispersion));
            let count = (mean * place).round() + 1.0;
            let (before, at) = (distribution.tails(count - 1.0), distribution.tails(count));
            prop_assert!((at.at_most - before.at_most - at.exactly).abs() < 1e-9);
        }
    }

    /// Mean, dispersion, count, and cdf, pmf and sf of scipy.stats.nbinom(1 / dispersion, 1 / (1 + dispersion · mean)).
    const TAILS: [(f64, f64, f64, [f64; 3]); 8] = [
        (2.0, 0.25, 0.0, [0.19753086419753083, 0.19753086419753077, 0.8024691358024691]),
        (2.0, 0.25, 9.0, [0.9983522786787872, 0.0022078336698397984, 0.00164772132121283]),
        (30.0, 0.1, 75.0, [0.9992494308686387, 0.00014962496311284883, 0.0007505691313613135]),
        (30.0, 0.5, 4.0, [0.04949218034744263, 0.015087425708770755, 0.9505078196525574]),
        (2000.0, 0.05, 3100.0, [0.9852806119589652, 6.232377792609811e-05, 0.014719388041034735]),
        (2000.0, 0.0001, 1800.0, [1.663133066169036e-05, 1.478352536700346e-06, 0.9999833686693383]),
        (10000000.0, 0.01, 12000000.0, [0.972135721435719, 5.67031654763969e-08, 0.027864278564280993]),
        (0.01, 1.5, 3.0, [0.9999999783224819, 1.5781196519653596e-06, 2.167751804038475e-08]),
    ];
}
