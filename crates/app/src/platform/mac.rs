//! Message authentication codes, and the comparison that does not leak them by its duration.

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// Computes HMAC-SHA-256. Parts are fixed labels, or include their length.
pub(crate) fn hmac_sha256(key: &[u8], parts: &[&[u8]]) -> [u8; 32] {
    #[expect(clippy::expect_used, reason = "HMAC takes keys of every length")]
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("a key of any length");
    for part in parts {
        mac.update(part);
    }
    mac.finalize().into_bytes().into()
}

pub(crate) fn constant_time_eq(one: &[u8], other: &[u8]) -> bool {
    bool::from(subtle::ConstantTimeEq::ct_eq(one, other))
}
