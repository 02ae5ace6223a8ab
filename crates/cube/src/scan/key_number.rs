//! The integer types that number the groups of a key space.

use std::ops::{Add, Mul};

/// The integer types for numbers in a key space.
pub(super) trait KeyNumber:
    Copy + Default + Eq + Send + Sync + From<u32> + Add<Output = Self> + Mul<Output = Self> + Into<u128> + 'static
{
    /// Converts a number that is known to fit.
    fn truncate_from(number: u128) -> Self;
    /// Mixes the bits.
    fn hash(self) -> u64;
}

const HASH_MULTIPLIER: u64 = 0x9E37_79B9_7F4A_7C15;

#[expect(clippy::cast_possible_truncation, reason = "the size of the key space ensures that numbers fit")]
mod numbers {
    use super::{HASH_MULTIPLIER, KeyNumber};

    impl KeyNumber for u32 {
        fn truncate_from(number: u128) -> Self {
            number as Self
        }
        fn hash(self) -> u64 {
            u64::from(self).hash()
        }
    }

    impl KeyNumber for u64 {
        fn truncate_from(number: u128) -> Self {
            number as Self
        }
        #[inline(always)]
        fn hash(self) -> u64 {
            let mixed = self.wrapping_mul(HASH_MULTIPLIER);
            (mixed ^ (mixed >> 32)).wrapping_mul(HASH_MULTIPLIER)
        }
    }

    impl KeyNumber for u128 {
        fn truncate_from(number: u128) -> Self {
            number
        }
        fn hash(self) -> u64 {
            ((self as u64).hash() ^ (self >> 64) as u64).hash()
        }
    }
}
