//! Tags that people wear.

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

/// The kind of wearer a tag is meant for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TagRole {
    Pedestrian,
    Operator,
}

impl TagRole {
    pub const ALL: [Self; 2] = [Self::Pedestrian, Self::Operator];

    /// Returns the value stored in tables and sent in API responses.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pedestrian => "pedestrian",
            Self::Operator => "operator",
        }
    }

    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let found = Self::ALL.into_iter().find(|role| role.as_str() == text);
        found.ok_or_else(|| Invalid::new("invalid_role", "must be pedestrian or operator"))
    }
}

/// A percentage, such as the charge of a battery.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Percent(i64);

impl Percent {
    /// Accepts a whole number from 0 to 100.
    pub fn new(number: i64) -> Result<Self, Invalid> {
        if (0..=100).contains(&number) {
            return Ok(Self(number));
        }
        Err(Invalid::new("out_of_range", "must be a whole number from 0 to 100"))
    }

    pub const fn get(self) -> i64 {
        self.0
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

    #[test]
    fn percents_are_bounded() {
        assert_eq!(Percent::new(100).map(Percent::get), Ok(100));
        assert!(Percent::new(-1).is_err() && Percent::new(101).is_err());
    }
}
