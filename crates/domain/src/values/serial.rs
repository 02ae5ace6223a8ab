//! Serial numbers of devices.

use std::fmt;

use serde::{Serialize, Serializer};

use crate::Invalid;

/// The serial number of a tag or a base station: 1 to 64 printable ASCII characters without blanks, compared
/// case-insensitively.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Serial(String);

impl Serial {
    pub const MAX_CHARS: usize = 64;

    /// Parses a serial and trims it, because scanners add blanks.
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let text = text.trim();
        if text.is_empty() {
            return Err(Invalid::new("required", "must not be empty"));
        }
        if text.len() > Self::MAX_CHARS {
            return Err(Invalid::new(
                "too_long",
                format!("must have at most {} characters", Self::MAX_CHARS),
            ));
        }
        if !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(Invalid::new("invalid_serial", "must be printable ASCII characters, without blanks"));
        }
        Ok(Self(text.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the case-folded form by which serials are compared.
    pub fn key(&self) -> String {
        self.0.to_ascii_lowercase()
    }
}

impl fmt::Display for Serial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Serialize for Serial {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn serials_are_trimmed_and_compared_without_case() {
        assert_eq!(Serial::parse(" Tag-0042\n").unwrap().key(), "tag-0042");
        for bad in ["", " ", "a b", "é", "a\u{0}", &"x".repeat(65)] {
            assert!(Serial::parse(bad).is_err(), "{bad:?} was taken");
        }
    }
}
