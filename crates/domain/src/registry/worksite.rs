//! Worksites, where people and machines share the ground.

use std::fmt;

use serde::{Serialize, Serializer};

use crate::Invalid;

/// What is done on a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum WorksiteKind {
    /// Roads, bridges, pipes.
    Infrastructure,
    /// Homes are built.
    ResidentialConstruction,
    /// Offices, shops, halls are built.
    CommercialConstruction,
    /// Tracks are looked after.
    RailMaintenance,
    /// Waste is sorted and used again.
    WasteRecycling,
    /// Fields and stables.
    Agriculture,
    /// Woods.
    Forestry,
    /// Goods are moved.
    Logistics,
    /// Anything else.
    Other,
}

impl WorksiteKind {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::Infrastructure,
        Self::ResidentialConstruction,
        Self::CommercialConstruction,
        Self::RailMaintenance,
        Self::WasteRecycling,
        Self::Agriculture,
        Self::Forestry,
        Self::Logistics,
        Self::Other,
    ];

    /// The word for it, in tables and answers alike.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Infrastructure => "infrastructure",
            Self::ResidentialConstruction => "residential_construction",
            Self::CommercialConstruction => "commercial_construction",
            Self::RailMaintenance => "rail_maintenance",
            Self::WasteRecycling => "waste_recycling",
            Self::Agriculture => "agriculture",
            Self::Forestry => "forestry",
            Self::Logistics => "logistics",
            Self::Other => "other",
        }
    }

    /// Reads the word.
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let found = Self::ALL.into_iter().find(|kind| kind.as_str() == text);
        found.ok_or_else(|| {
            let words = Self::ALL.map(Self::as_str).join(", ");
            Invalid::new("invalid_kind", format!("must be one of {words}"))
        })
    }
}

/// A colour to draw with: `#rrggbb`, kept in small letters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Colour(String);

impl Colour {
    /// Reads `#rrggbb`.
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let is_colour = text
            .strip_prefix('#')
            .is_some_and(|digits| digits.len() == 6 && digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
        if !is_colour {
            return Err(Invalid::new("invalid_colour", "must be a colour such as #ff8800"));
        }
        Ok(Self(text.to_ascii_lowercase()))
    }

    /// The text.
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
    fn words_are_read_back() {
        for kind in WorksiteKind::ALL {
            assert_eq!(WorksiteKind::parse(kind.as_str()), Ok(kind));
        }
        assert_eq!(WorksiteKind::parse("moon").unwrap_err().code, "invalid_kind");
    }

    #[test]
    fn colours_are_six_digits() {
        assert_eq!(Colour::parse("#FF88aa").unwrap().as_str(), "#ff88aa");
        for bad in ["", "#", "ff8800", "#ff880", "#ff88000", "#gg8800", "#ff88é", "red"] {
            assert_eq!(Colour::parse(bad).unwrap_err().code, "invalid_colour", "{bad:?} was taken");
        }
    }
}
