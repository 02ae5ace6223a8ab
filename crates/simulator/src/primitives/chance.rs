//! Reproducible random numbers: one ChaCha key for the seed, and one stream for each entity on each day.
//!
//! A stream depends on its name only, so a day can be computed before, after or without the others. Only sums, products, quotients and
//! square roots are used, which IEEE 754 defines to the last bit; no logarithms or trigonometric functions.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};

/// The purpose of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    Projects = 1,
    Sites,
    Weather,
    Machines,
    Stations,
    Outages,
    People,
    Tags,
    Visits,
    Work,
    Crew,
    Encounters,
    Reports,
    Positions,
    TagTests,
    Planted,
}

/// All streams of a seed.
#[derive(Clone, Debug)]
pub(crate) struct Source(ChaCha8Rng);

impl Source {
    pub fn new(seed: u64) -> Self {
        Self(ChaCha8Rng::seed_from_u64(seed))
    }

    /// Returns the stream of an entity, by its index, on a day.
    pub fn stream(&self, purpose: Purpose, which: usize, day: usize) -> Chance {
        let mut rng = self.0.clone();
        rng.set_stream(
            (purpose as u64) << 56 | (which as u64 & 0xff_ffff) << 32 | (day as u64 & 0xffff_ffff),
        );
        Chance(rng)
    }
}

/// One stream.
pub(crate) struct Chance(ChaCha8Rng);

impl Chance {
    /// Returns a number from 0 to just under 1.
    pub fn unit(&mut self) -> f64 {
        f64::from(self.0.next_u32()) / 4_294_967_296.0
    }

    /// Returns a number from `low` to just under `high`.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// Returns an integer from 0 to just under `count`; 0 if `count` is 0.
    pub fn below(&mut self, count: usize) -> usize {
        ((u64::from(self.0.next_u32()) * count as u64) >> 32) as usize
    }

    /// Returns an integer from `low` to `high`, both inclusive.
    pub fn integer(&mut self, low: i64, high: i64) -> i64 {
        low + self.below((high - low + 1).max(1) as usize) as i64
    }

    /// Returns true with the given probability.
    pub fn happens(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }

    /// Returns a random element.
    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }

    /// Returns a point in the unit disc.
    pub fn disc(&mut self) -> (f64, f64) {
        loop {
            let (x, y) = (self.between(-1.0, 1.0), self.between(-1.0, 1.0));
            if x * x + y * y <= 1.0 {
                return (x, y);
            }
        }
    }

    /// Returns a Poisson-distributed number with the given mean; above 20 it is approximated by a bell curve.
    pub fn poisson(&mut self, mean: f64) -> usize {
        if mean >= 20.0 {
            let bell = (0..12).map(|_| self.unit()).sum::<f64>() - 6.0;
            return (mean + mean.sqrt() * bell).round().max(0.0) as usize;
        }
        let least = exp_negative(mean);
        let (mut product, mut count) = (self.unit(), 0);
        while product > least {
            product *= self.unit();
            count += 1;
        }
        count
    }
}

/// Approximates e to the power of minus `x`, with the same result on every machine.
fn exp_negative(x: f64) -> f64 {
    (0..16).fold(1.0 - x / 65_536.0, |value, _| value * value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_are_named_and_differ() {
        let source = Source::new(7);
        let first = |purpose, which, day| source.stream(purpose, which, day).0.next_u64();
        assert_eq!(first(Purpose::Work, 3, 9), first(Purpose::Work, 3, 9));
        let others = [first(Purpose::Crew, 3, 9), first(Purpose::Work, 4, 9), first(Purpose::Work, 3, 10)];
        assert!(others.iter().all(|other| *other != first(Purpose::Work, 3, 9)));
        assert_ne!(Source::new(8).stream(Purpose::Work, 3, 9).0.next_u64(), first(Purpose::Work, 3, 9));
    }

    #[test]
    fn counts_have_the_mean_asked_for() {
        let mut chance = Source::new(1).stream(Purpose::Work, 0, 0);
        for mean in [0.0, 0.3, 4.0, 19.0, 50.0] {
            let sum: usize = (0..20_000).map(|_| chance.poisson(mean)).sum();
            let found = sum as f64 / 20_000.0;
            assert!((found - mean).abs() <= 0.02 + mean * 0.02, "{found} instead of {mean}");
        }
    }

    #[test]
    fn whole_numbers_reach_both_ends() {
        let mut chance = Source::new(1).stream(Purpose::Work, 0, 0);
        let seen: Vec<i64> = (0..500).map(|_| chance.integer(-2, 3)).collect();
        assert!((-2..=3).all(|number| seen.contains(&number)));
        assert!(seen.iter().all(|number| (-2..=3).contains(number)));
    }
}
