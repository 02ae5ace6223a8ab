//! The log-gamma function, and two helpers for computing ratios of large gamma values without losing precision.

use std::f64::consts::PI;

/// From here on the series of Stirling's formula is accurate to the last digits.
const STIRLING_MIN: f64 = 16.0;

/// The logarithm of the gamma function of a positive number.
pub(crate) fn ln_gamma(x: f64) -> f64 {
    let mut product = 1.0;
    let mut large = x;
    while large < STIRLING_MIN {
        product *= large;
        large += 1.0;
    }
    let stirling = (large - 0.5) * large.ln() - large + 0.5 * (2.0 * PI).ln() + stirling_series(large);
    stirling - product.ln()
}

/// The error of Stirling's formula for the logarithm of the gamma function, at a positive number.
pub(crate) fn stirling_error(x: f64) -> f64 {
    let mut error = 0.0;
    let mut large = x;
    while large < STIRLING_MIN {
        error += (large + 0.5) * (1.0 / large).ln_1p() - 1.0;
        large += 1.0;
    }
    error + stirling_series(large)
}

fn stirling_series(x: f64) -> f64 {
    let square = x * x;
    let inner = 1.0 / 1680.0 - (1.0 / 1188.0 - (691.0 / 360_360.0) / square) / square;
    (1.0 / 12.0 - (1.0 / 360.0 - (1.0 / 1260.0 - inner / square) / square) / square) / x
}

/// `count · ln(count / mean) + mean - count`, accurate even if the two are close (after Loader, 2000).
pub(crate) fn deviance(count: f64, mean: f64) -> f64 {
    let difference = count - mean;
    let sum = count + mean;
    if difference.abs() >= 0.1 * sum {
        return count * (count / mean).ln() - difference;
    }
    let relative = difference / sum;
    let mut total = difference * relative;
    let mut term = 2.0 * count * relative;
    let mut divisor = 3.0;
    loop {
        term *= relative * relative;
        let next = total + term / divisor;
        if next == total || !next.is_finite() {
            return total;
        }
        total = next;
        divisor += 2.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_logarithm_of_gamma_is_what_it_is_elsewhere() {
        for (x, expected) in LN_GAMMA {
            let found = ln_gamma(x);
            assert!((found - expected).abs() <= 1e-13 * expected.abs().max(1.0), "{x}: {found} {expected}");
        }
    }

    #[test]
    fn stirlings_formula_and_its_error_make_the_logarithm() {
        for (x, expected) in LN_GAMMA {
            let found = (x - 0.5) * x.ln() - x + 0.5 * (2.0 * PI).ln() + stirling_error(x);
            assert!((found - expected).abs() <= 1e-12 * expected.abs().max(1.0), "{x}: {found} {expected}");
        }
    }

    #[test]
    fn the_deviance_is_nothing_at_the_mean_and_continues_where_the_series_ends() {
        assert_eq!(deviance(1e7, 1e7), 0.0);
        let (inside, outside) = (deviance(100.0, 81.82), deviance(100.0, 81.81));
        assert!((inside - outside).abs() < 0.01 && inside < outside);
        let far = 100.0 * (100.0_f64 / 81.82).ln() + 81.82 - 100.0;
        assert!((inside - far).abs() < 1e-12);
    }

    /// From scipy.special.gammaln.
    const LN_GAMMA: [(f64, f64); 7] = [
        (0.001, 6.907178885383853),
        (0.5, 0.5723649429247),
        (1.5, -0.12078223763524526),
        (7.25, 7.0521854507385395),
        (15.9, 27.625493215168696),
        (100000.5, 1051293.4654351394),
        (10000000.0, 151180949.36947393),
    ];
}
