//! The only source of randomness.

use std::sync::{Arc, Mutex, PoisonError};

use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};

/// A source of random bytes, passed as an argument so that tests and simulations are reproducible.
#[derive(Clone, Debug, Default)]
pub enum Random {
    /// The operating system's generator; required for everything that must not be guessed.
    #[default]
    System,
    /// A reproducible stream; clones share it.
    Seeded(Arc<Mutex<ChaCha20Rng>>),
}

impl Random {
    /// Returns a stream that is the same for the same seed.
    pub fn seeded(seed: u64) -> Self {
        Self::Seeded(Arc::new(Mutex::new(ChaCha20Rng::seed_from_u64(seed))))
    }

    pub fn bytes<const N: usize>(&self) -> [u8; N] {
        let mut bytes = [0; N];
        match self {
            #[expect(clippy::disallowed_methods, reason = "the only place that uses the system's generator")]
            #[expect(
                clippy::expect_used,
                reason = "without the system's generator no secret can be generated"
            )]
            Self::System => getrandom::fill(&mut bytes).expect("the operating system provides random bytes"),
            Self::Seeded(stream) => {
                stream.lock().unwrap_or_else(PoisonError::into_inner).fill_bytes(&mut bytes);
            }
        }
        bytes
    }

    /// Generates a password of `length` letters and digits that are easy to tell apart when copied by hand.
    pub fn password(&self, length: usize) -> String {
        // 32 symbols, so that the low five bits of a byte select one uniformly.
        const SYMBOLS: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";
        let mut text = String::with_capacity(length);
        while text.len() < length {
            for byte in self.bytes::<16>() {
                if text.len() < length {
                    text.push(char::from(SYMBOLS[usize::from(byte & 31)]));
                }
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_stream() {
        assert_eq!(Random::seeded(7).bytes::<32>(), Random::seeded(7).bytes::<32>());
        assert_ne!(Random::seeded(7).bytes::<32>(), Random::seeded(8).bytes::<32>());
    }

    #[test]
    fn passwords_have_the_length_asked_for() {
        assert_eq!(Random::System.password(20).len(), 20);
    }
}
