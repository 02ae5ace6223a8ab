//! Display colours.

use std::fmt;

use serde::{Serialize, Serializer};

use crate::Invalid;

/// A display colour `#rrggbb`, stored in lower case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Colour(String);

impl Colour {
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let is_colour = text
            .strip_prefix('#')
            .is_some_and(|digits| digits.len() == 6 && digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
        if !is_colour {
            return Err(Invalid::new("invalid_colour", "must be a colour such as #ff8800"));
        }
        Ok(Self(text.to_ascii_lowercase()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Colour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Serialize for Colour {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_six_digits() {
        assert_eq!(Colour::parse("#FF88aa").unwrap().as_str(), "#ff88aa");
        for bad in ["", "#", "ff8800", "#ff880", "#ff88000", "#gg8800", "#ff88é", "red"] {
            assert_eq!(Colour::parse(bad).unwrap_err().code, "invalid_colour", "{bad:?} was taken");
        }
    }
}
