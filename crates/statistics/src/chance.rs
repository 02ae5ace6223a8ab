//! Random numbers of simulations, from fixed seeds.

use std::f64::consts::PI;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};

use crate::gamma::ln_gamma;

/// A seeded generator.
pub(crate) struct Chance(ChaCha8Rng);

impl Chance {
    pub(crate) fn of(seed: u64) -> Self {
        Self(ChaCha8Rng::seed_from_u64(seed))
    }

    /// A uniform number between 0 and 1, both excluded.
    pub(crate) fn share(&mut self) -> f64 {
        ((self.0.next_u64() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
    }

    pub(crate) fn between(&mut self, low: usize, high: usize) -> usize {
        low + (self.share() * (high - low + 1) as f64) as usize
    }

    /// A log-uniform number between two positive numbers.
    pub(crate) fn log_between(&mut self, low: f64, high: f64) -> f64 {
        low * (high / low).powf(self.share())
    }

    pub(crate) fn normal(&mut self) -> f64 {
        (-2.0 * self.share().ln()).sqrt() * (2.0 * PI * self.share()).cos()
    }

    /// A gamma-distributed number with a mean of 1 (Marsaglia and Tsang, 2000).
    pub(crate) fn gamma(&mut self, shape: f64) -> f64 {
        if shape < 1.0 {
            return self.gamma(shape + 1.0) * (shape + 1.0) / shape * self.share().powf(1.0 / shape);
        }
        let d = shape - 1.0 / 3.0;
        loop {
            let normal = self.normal();
            let cube = (1.0 + normal / (9.0 * d).sqrt()).powi(3);
            if cube > 0.0 && self.share().ln() < 0.5 * normal * normal + d * (1.0 - cube + cube.ln()) {
                return d * cube / shape;
            }
        }
    }

    /// A Poisson count: counts are tried from the most probable one outwards until their summed probability exceeds the number
    /// drawn.
    pub(crate) fn poisson(&mut self, mean: f64) -> u64 {
        let mode = mean.floor();
        let mut left = self.share();
        let (mut lower, mut upper) = (mode, mode);
        let at_mode = (mode * mean.ln() - mean - ln_gamma(mode + 1.0)).exp();
        let (mut lower_share, mut upper_share) = (at_mode, at_mode);
        left -= at_mode;
        while left > 0.0 && upper_share + lower_share > 1e-18 {
            upper += 1.0;
            upper_share *= mean / upper;
            left -= upper_share;
            if left <= 0.0 {
                return upper as u64;
            }
            lower_share *= lower / mean;
            lower -= 1.0;
            left -= lower_share;
            if left <= 0.0 {
                return lower as u64;
            }
        }
        mode as u64
    }
}
