//! A repeatable random source.

use domain::Random;

/// A random source that returns the same values for the same seed.
pub struct SeededRandom(Random);

impl SeededRandom {
    pub fn new(seed: u64) -> Self {
        Self(Random::seeded(seed))
    }

    /// Returns a number below `end`, which must be positive.
    pub fn below(&self, end: i64) -> i64 {
        i64::try_from(u64::from_le_bytes(self.0.bytes()) % u64::try_from(end).expect("above 0"))
            .expect("below it")
    }

    pub fn in_range(&self, from: i64, to: i64) -> i64 {
        from + self.below(to - from)
    }

    /// Returns `true` with probability 1 in `times`.
    pub fn one_in(&self, times: i64) -> bool {
        self.below(times) == 0
    }

    pub fn choose<T: Copy>(&self, of: &[T]) -> T {
        of[usize::try_from(self.below(i64::try_from(of.len()).expect("not so many"))).expect("a place")]
    }

    /// Returns one to `max` of the values, in any order and possibly with repeats.
    pub fn choose_up_to<T: Copy>(&self, of: &[T], max: i64) -> Vec<T> {
        (0..self.in_range(1, max + 1)).map(|_| self.choose(of)).collect()
    }
}
