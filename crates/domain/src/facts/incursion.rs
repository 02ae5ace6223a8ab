//! Incursions: a tag came inside a machine's zone.

use serde::Serialize;

use crate::Invalid;

/// How near: the zone around a machine that a tag came into. The worse one is the greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Zone {
    /// The outer one.
    Warning,
    /// The inner one.
    Danger,
}

impl Zone {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Warning, Self::Danger];

    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Warning => "warning",
            Self::Danger => "danger",
        }
    }

    /// Reads the word.
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let found = Self::ALL.into_iter().find(|zone| zone.as_str() == text);
        found.ok_or_else(|| Invalid::new("invalid_zone", "must be warning or danger"))
    }

    /// Its number in rows and columns.
    pub const fn code(self) -> i64 {
        match self {
            Self::Warning => 1,
            Self::Danger => 2,
        }
    }

    /// The zone of a number.
    pub fn from_code(code: i64) -> Option<Self> {
        Self::ALL.into_iter().find(|zone| zone.code() == code)
    }
}

/// What the office made of an incursion. It has nothing to do with the button in the cab.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Review {
    /// Nobody has looked yet.
    Unreviewed,
    /// It was one.
    Confirmed,
    /// It was one, and of no concern.
    Dismissed,
    /// It was none.
    FalseDetection,
}

impl Review {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Unreviewed, Self::Confirmed, Self::Dismissed, Self::FalseDetection];

    /// What counts unless someone asks otherwise.
    pub const COUNTED: [Self; 2] = [Self::Unreviewed, Self::Confirmed];

    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Unreviewed => "unreviewed",
            Self::Confirmed => "confirmed",
            Self::Dismissed => "dismissed",
            Self::FalseDetection => "false_detection",
        }
    }

    /// Reads the word.
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let found = Self::ALL.into_iter().find(|review| review.as_str() == text);
        let text = "must be unreviewed, confirmed, dismissed or false_detection";
        found.ok_or_else(|| Invalid::new("invalid_review", text))
    }

    /// Its number in rows and columns.
    pub const fn code(self) -> i64 {
        match self {
            Self::Unreviewed => 0,
            Self::Confirmed => 1,
            Self::Dismissed => 2,
            Self::FalseDetection => 3,
        }
    }

    /// The review of a number.
    pub fn from_code(code: i64) -> Option<Self> {
        Self::ALL.into_iter().find(|review| review.code() == code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_numbers_go_both_ways() {
        for zone in Zone::ALL {
            assert_eq!(Zone::parse(zone.as_str()), Ok(zone));
            assert_eq!(Zone::from_code(zone.code()), Some(zone));
        }
        for review in Review::ALL {
            assert_eq!(Review::parse(review.as_str()), Ok(review));
            assert_eq!(Review::from_code(review.code()), Some(review));
        }
        assert_eq!((Zone::from_code(0), Review::from_code(4)), (None, None));
        assert!(Zone::Danger > Zone::Warning);
    }
}
