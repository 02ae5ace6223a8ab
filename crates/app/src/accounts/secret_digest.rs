//! The hash by which the secret of a credential is stored, cached and found.

use sha2::{Digest, Sha256};

pub(crate) fn digest(secret: &str) -> [u8; 32] {
    Sha256::digest(secret).into()
}
