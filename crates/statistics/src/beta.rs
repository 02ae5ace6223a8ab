//! The regularised incomplete beta function, which gives the tails of a negative binomial distribution.

use std::f64::consts::PI;

use crate::gamma::{deviance, stirling_error};

/// The probabilities of a beta distribution below and above a point. Each is accurate where it is small.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct BetaTails {
    /// `I_x(a, b)`.
    pub(crate) below: f64,
    /// `1 - I_x(a, b)`.
    pub(crate) above: f64,
}

/// Computes the tails of Beta(a, b) at `x`; `complement` is `1 - x`, which the caller may know more precisely than by
/// subtraction.
pub(crate) fn beta_tails(a: f64, b: f64, x: f64, complement: f64) -> BetaTails {
    if x <= 0.0 {
        return BetaTails { below: 0.0, above: 1.0 };
    }
    if complement <= 0.0 {
        return BetaTails { below: 1.0, above: 0.0 };
    }
    let front = ln_prefactor(a, b, x, complement).exp();
    // The continued fraction converges fast below the mean; the other tail is the complement.
    if x < (a + 1.0) / (a + b + 2.0) {
        let below = clamp_probability(front * continued_fraction(a, b, x) / a);
        BetaTails { below, above: 1.0 - below }
    } else {
        let above = clamp_probability(front * continued_fraction(b, a, complement) / b);
        BetaTails { below: 1.0 - above, above }
    }
}

/// The logarithm of `x^a · (1 - x)^b / B(a, b)`, accurate for large `a` and `b` too.
pub(crate) fn ln_prefactor(a: f64, b: f64, x: f64, rest: f64) -> f64 {
    let sum = a + b;
    // Divided separately to avoid the product of two large numbers.
    0.5 * (a / sum * b / (2.0 * PI)).ln() + stirling_error(sum)
        - stirling_error(a)
        - stirling_error(b)
        - deviance(a, sum * x)
        - deviance(b, sum * rest)
}

fn clamp_probability(value: f64) -> f64 {
    if value.is_nan() { 0.0 } else { value.clamp(0.0, 1.0) }
}

/// The continued fraction of the incomplete beta function, by Lentz's method. The number of steps is about the square root of
/// the smaller parameter.
fn continued_fraction(a: f64, b: f64, x: f64) -> f64 {
    const SMALL: f64 = 1e-300;
    const STEPS: u32 = 200_000;
    let away_from_zero = |value: f64| if value.abs() < SMALL { SMALL } else { value };
    let mut numerator = 1.0;
    let mut denominator = 1.0 / away_from_zero(1.0 - (a + b) * x / (a + 1.0));
    let mut result = denominator;
    for step in 1..=STEPS {
        let m = f64::from(step);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        denominator = 1.0 / away_from_zero(1.0 + even * denominator);
        numerator = away_from_zero(1.0 + even / numerator);
        result *= denominator * numerator;
        let odd = -(a + m) / (a + 2.0 * m) * ((a + b + m) * x / (a + 2.0 * m + 1.0));
        denominator = 1.0 / away_from_zero(1.0 + odd * denominator);
        numerator = away_from_zero(1.0 + odd / numerator);
        let change = denominator * numerator;
        result *= change;
        if (change - 1.0).abs() < 1e-15 {
            break;
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_parts_are_what_they_are_elsewhere() {
        for (a, b, x, below, above) in PARTS {
            let found = beta_tails(a, b, x, 1.0 - x);
            for (found, expected) in [(found.below, below), (found.above, above)] {
                assert!((found - expected).abs() <= 1e-9 * expected, "{a} {b} {x}: {found} {expected}");
            }
        }
    }

    proptest! {
        #[test]
        fn the_parts_make_a_whole_and_swap_with_the_parameters(
            a in -3.0..7.0_f64, b in -3.0..7.0_f64, x in 0.0..1.0_f64,
        ) {
            let (a, b) = (10_f64.powf(a), 10_f64.powf(b));
            let found = beta_tails(a, b, x, 1.0 - x);
            let swapped = beta_tails(b, a, 1.0 - x, x);
            prop_assert!((found.below + found.above - 1.0).abs() < 1e-12);
            prop_assert!((found.below - swapped.above).abs() < 1e-9);
        }

        #[test]
        fn the_part_below_never_shrinks(a in -2.0..6.0_f64, b in -2.0..6.0_f64, x in 0.0..1.0_f64, y in 0.0..1.0_f64) {
            let (a, b) = (10_f64.powf(a), 10_f64.powf(b));
            let (x, y) = (x.min(y), x.max(y));
            prop_assert!(beta_tails(a, b, x, 1.0 - x).below <= beta_tails(a, b, y, 1.0 - y).below + 1e-12);
        }
    }

    /// a, b, x, and scipy.special.betainc and betaincc of them.
    const PARTS: [(f64, f64, f64, f64, f64); 8] = [
        (0.1, 3.0, 0.2, 0.9494142815951789, 0.05058571840482101),
        (2.5, 4.0, 0.4, 0.5558019215511945, 0.4441980784488056),
        (10.0, 30.0, 0.1, 0.004164720867681867, 0.9958352791323182),
        (10.0, 30.0, 0.6, 0.9999969691328717, 3.030867128229019e-06),
        (500.0, 2000.0, 0.21, 0.8933864692051784, 0.10661353079482139),
        (10000.0, 30000.0, 0.245, 0.010227845116896912, 0.9897721548831033),
        (100000.0, 10000000.0, 0.00985, 0.05066426951944486, 0.94933573048056),
        (5.0, 10000000.0, 2e-06, 0.9999830555858427, 1.6944414148245177e-05),
    ];
}
