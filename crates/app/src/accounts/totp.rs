//! Time-based one-time passwords: RFC 6238 with SHA-1, six digits and steps of 30 seconds, which every authenticator app
//! supports.

use domain::Timestamp;

use crate::platform::crypto::{constant_time_eq, hmac_sha1};

const STEP_S: i64 = 30;

/// Number of steps that a user's clock may be off in either direction.
const TOLERANCE_STEPS: i64 = 1;

const BASE32_ALPHABET: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/// Returns the number of the step at a time.
pub fn step(at: Timestamp) -> i64 {
    at.seconds().div_euclid(STEP_S)
}

pub fn code(seed: &[u8], step: i64) -> String {
    format!("{:06}", hotp_value(seed, step) % 1_000_000)
}

/// Returns the latest step whose code is accepted at a time.
pub(crate) fn latest_accepted_step(now: Timestamp) -> i64 {
    step(now) + TOLERANCE_STEPS
}

/// Returns the step of a code if it is close to `now` and later than `last`, the latest used step up to [`latest_accepted_step`]. So a
/// code works only once, even if the clock is changed.
pub(crate) fn find_step(seed: &[u8], given_code: &str, now: Timestamp, last: i64) -> Option<i64> {
    let now = step(now);
    let around = now - TOLERANCE_STEPS..=now + TOLERANCE_STEPS;
    around.filter(|step| *step > last).find(|step| {
        let expected = code(seed, *step);
        constant_time_eq(expected.as_bytes(), given_code.as_bytes())
    })
}

/// Returns the HOTP value of RFC 4226 before it is reduced to six digits.
fn hotp_value(seed: &[u8], step: i64) -> u32 {
    let bytes = hmac_sha1(seed, &step.to_be_bytes());
    let offset = usize::from(bytes[19] & 15);
    bytes[offset..offset + 4].iter().fold(0, |number: u32, byte| number << 8 | u32::from(*byte)) & 0x7FFF_FFFF
}

/// Encodes a seed as apps expect it to be typed: base32 without padding.
pub(crate) fn encode_base32(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(5) * 8);
    let (mut bits, mut count) = (0_u32, 0);
    for byte in bytes {
        bits = (bits << 8 | u32::from(*byte)) & 0xFFF;
        count += 8;
        while count >= 5 {
            count -= 5;
            text.push(char::from(BASE32_ALPHABET[(bits >> count & 31) as usize]));
        }
    }
    if count > 0 {
        text.push(char::from(BASE32_ALPHABET[(bits << (5 - count) & 31) as usize]));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEED: &[u8] = b"12345678901234567890";

    #[test]
    fn codes_are_those_of_rfc_6238() {
        // Appendix B has eight digits.
        for (seconds, expected) in [
            (59, 94_287_082),
            (1_111_111_109, 7_081_804),
            (1_111_111_111, 14_050_471),
            (1_234_567_890, 89_005_924),
            (2_000_000_000, 69_279_037),
            (20_000_000_000, 65_353_130),
        ] {
            let step = step(Timestamp::from_seconds(seconds));
            assert_eq!(hotp_value(SEED, step) % 100_000_000, expected, "at {seconds}");
            assert_eq!(code(SEED, step), format!("{:06}", expected % 1_000_000));
        }
    }

    #[test]
    fn a_code_is_good_a_step_early_or_late_and_once() {
        let at = Timestamp::from_seconds(1_111_111_109);
        let now = step(at);
        for (off, is_good) in [(-2, false), (-1, true), (0, true), (1, true), (2, false)] {
            let found = find_step(SEED, &code(SEED, now + off), at, 0);
            assert_eq!(found, is_good.then_some(now + off), "{off} steps off");
        }
        assert_eq!(find_step(SEED, &code(SEED, now), at, now), None, "used");
        assert_eq!(find_step(SEED, &code(SEED, now - 1), at, now), None, "older than one that was used");
        assert_eq!(find_step(SEED, &code(SEED, now + 1), at, now), Some(now + 1));
        assert_eq!(find_step(SEED, "", at, 0), None);
    }

    #[test]
    fn seeds_are_written_in_base32() {
        for (bytes, text) in [
            (&b""[..], ""),
            (b"f", "MY"),
            (b"fo", "MZXQ"),
            (b"foo", "MZXW6"),
            (b"foob", "MZXW6YQ"),
            (b"fooba", "MZXW6YTB"),
            (b"foobar", "MZXW6YTBOI"),
            (SEED, "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"),
        ] {
            assert_eq!(encode_base32(bytes), text);
        }
    }
}
