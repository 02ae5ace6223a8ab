//! Incursions: zones and reviews.

use serde::Serialize;

use crate::Invalid;

/// The zone around a machine that a tag entered. The more dangerous zone is the greater one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Zone {
    /// The outer zone.
    Warning,
    /// The inner zone.
    Danger,
}

impl Zone {
    pub const ALL: [Self; 2] = [Self::Warning, Self::Danger];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Warning => "warning",
            Self::Danger => "danger",
        }
    }

    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let found = Self::ALL.into_iter().find(|zone| zone.as_str() == text);
        found.ok_or_else(|| Invalid::new("invalid_zone", "must be warning or danger"))
    }

    /// Returns the code stored in rows and columns.
    pub const fn code(self) -> i64 {
        match self {
            Self::Warning => 1,
            Self::Danger => 2,
        }
    }

    pub fn from_code(code: i64) -> Option<Self> {
        Self::ALL.into_iter().find(|zone| zone.code() == code)
    }
}

/// The office's decision about an incursion, independent of the acknowledgement in the cab.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Review {
    Unreviewed,
    /// A real incursion.
    Confirmed,
    /// A real incursion that is of no concern.
    Dismissed,
    /// Not an incursion.
    FalseDetection,
}

impl Review {
    pub const ALL: [Self; 4] = [Self::Unreviewed, Self::Confirmed, Self::Dismissed, Self::FalseDetection];

    /// The reviews that are counted by default.
    pub const COUNTED: [Self; 2] = [Self::Unreviewed, Self::Confirmed];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Unreviewed => "unreviewed",
            Self::Confirmed => "confirmed",
            Self::Dismissed => "dismissed",
            Self::FalseDetection => "false_detection",
        }
    }

    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let found = Self::ALL.into_iter().find(|review| review.as_str() == text);
        let text = "must be unreviewed, confirmed, dismissed or false_detection";
        found.ok_or_else(|| Invalid::new("invalid_review", text))
    }

    /// Returns the code stored in rows and columns.
    pub const fn code(self) -> i64 {
        match self {
            Self::Unreviewed => 0,
            Self::Confirmed => 1,
            Self::Dismissed => 2,
            Self::FalseDetection => 3,
        }
    }

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
