//! Worksites, where people and machines work in the same area.

use std::fmt;

use serde::{Serialize, Serializer};

use crate::Invalid;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum WorksiteKind {
    Infrastructure,
    ResidentialConstruction,
    CommercialConstruction,
    RailMaintenance,
    WasteRecycling,
    Agriculture,
    Forestry,
    Logistics,
    Other,
}

impl WorksiteKind {
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

    /// Returns the value stored in tables and sent in API responses.
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

    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let found = Self::ALL.into_iter().find(|kind| kind.as_str() == text);
        found.ok_or_else(|| {
            let words = Self::ALL.map(Self::as_str).join(", ");
            Invalid::new("invalid_kind", format!("must be one of {words}"))
        })
    }
}

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
