//! The primitives of cryptography. This module alone knows the libraries that implement encryption and message authentication codes.

use hmac::{Hmac, KeyInit, Mac};
use ring::aead::{AES_256_GCM, Aad, LessSafeKey, Nonce, UnboundKey};
use sha2::Sha256;

pub(crate) const NONCE_BYTES: usize = 12;

/// Computes HMAC-SHA-256. Parts are fixed labels, or include their length.
pub(crate) fn hmac_sha256(key: &[u8], parts: &[&[u8]]) -> [u8; 32] {
    #[expect(clippy::expect_used, reason = "HMAC takes keys of every length")]
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("a key of any length");
    for part in parts {
        mac.update(part);
    }
    mac.finalize().into_bytes().into()
}

/// Computes HMAC-SHA-1, which only one-time passwords use.
pub(crate) fn hmac_sha1(key: &[u8], message: &[u8]) -> [u8; 20] {
    use ring::hmac::{HMAC_SHA1_FOR_LEGACY_USE_ONLY, Key, sign};
    let tag = sign(&Key::new(HMAC_SHA1_FOR_LEGACY_USE_ONLY, key), message);
    let mut bytes = [0; 20];
    bytes.copy_from_slice(tag.as_ref());
    bytes
}

/// Compares without revealing by its duration where two values differ.
pub(crate) fn constant_time_eq(one: &[u8], other: &[u8]) -> bool {
    bool::from(subtle::ConstantTimeEq::ct_eq(one, other))
}

/// Encrypts with AES-256-GCM and appends the tag of sixteen bytes. `bound` is authenticated, too. A nonce must never be used twice with a
/// key. None only if the text is longer than GCM allows.
pub(crate) fn encrypt(
    key: &[u8; 32],
    nonce: [u8; NONCE_BYTES],
    bound: &[u8],
    plain: &[u8],
) -> Option<Vec<u8>> {
    let mut bytes = plain.to_vec();
    let nonce = Nonce::assume_unique_for_key(nonce);
    aes_256_gcm(key)?.seal_in_place_append_tag(nonce, Aad::from(bound), &mut bytes).ok()?;
    Some(bytes)
}

/// Decrypts what [`encrypt`] returned for the same key, nonce and `bound`; none if anything was changed.
pub(crate) fn decrypt(
    key: &[u8; 32],
    nonce: [u8; NONCE_BYTES],
    bound: &[u8],
    encrypted: &[u8],
) -> Option<Vec<u8>> {
    let mut bytes = encrypted.to_vec();
    let nonce = Nonce::assume_unique_for_key(nonce);
    let plain = aes_256_gcm(key)?.open_in_place(nonce, Aad::from(bound), &mut bytes).ok()?;
    Some(plain.to_vec())
}

fn aes_256_gcm(key: &[u8; 32]) -> Option<LessSafeKey> {
    UnboundKey::new(&AES_256_GCM, key).ok().map(LessSafeKey::new)
}

#[cfg(test)]
mod tests {
    use domain::{decode_hex, encode_hex};

    use super::*;

    fn hex<const N: usize>(text: &str) -> [u8; N] {
        decode_hex(text).unwrap().try_into().unwrap()
    }

    #[test]
    fn encryption_is_that_of_the_specification_of_gcm() {
        // Test cases 13, 14 and 16 of "The Galois/Counter Mode of Operation" by McGrew and Viega.
        let cases = [
            ("00".repeat(32), "00".repeat(12), "", String::new(), "530f8afbc74536b9a963b4f1c4cb738b"),
            (
                "00".repeat(32),
                "00".repeat(12),
                "",
                "00".repeat(16),
                "cea7403d4d606b6e074ec5d3baf39d18d0d1c8a799996bf0265b98b5d48ab919",
            ),
            (
                "feffe9928665731c6d6a8f9467308308".repeat(2),
                "cafebabefacedbaddecaf888".to_owned(),
                "feedfacedeadbeeffeedfacedeadbeefabaddad2",
                "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72\
                 1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39"
                    .to_owned(),
                "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa\
                 8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f66276fc6ece0f4e1768cddf8853bb2d551b",
            ),
        ];
        for (key, nonce, bound, plain, encrypted) in cases {
            let (key, nonce): ([u8; 32], [u8; NONCE_BYTES]) = (hex(&key), hex(&nonce));
            let (bound, plain) = (decode_hex(bound).unwrap(), decode_hex(&plain).unwrap());
            assert_eq!(encode_hex(&encrypt(&key, nonce, &bound, &plain).unwrap()), encrypted);
            let encrypted = decode_hex(encrypted).unwrap();
            assert_eq!(decrypt(&key, nonce, &bound, &encrypted), Some(plain));
            assert_eq!(decrypt(&key, nonce, b"other", &encrypted), None);
            assert_eq!(decrypt(&key, nonce, &bound, &encrypted[1..]), None);
            assert_eq!(decrypt(&key, nonce, &bound, &[]), None);
        }
    }

    #[test]
    fn codes_are_those_of_the_standards() {
        // Cases 2 and 6 of RFC 4231 and of RFC 2202; the longer keys are hashed first.
        let (key, text) = (b"Jefe", b"what do ya want for nothing?");
        let of_parts = hmac_sha256(key, &[b"what do ya want ", b"for nothing?"]);
        assert_eq!(encode_hex(&of_parts), "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
        assert_eq!(encode_hex(&hmac_sha1(key, text)), "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79");
        let text = b"Test Using Larger Than Block-Size Key - Hash Key First";
        let code = hmac_sha256(&[0xAA; 131], &[text]);
        assert_eq!(encode_hex(&code), "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
        assert_eq!(encode_hex(&hmac_sha1(&[0xAA; 80], text)), "aa4ae5e15272d00e95705637ce8a3b55ed402112");
    }
}
