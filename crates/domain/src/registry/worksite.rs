//! Worksites, where people and machines work in the same area.

use serde::Serialize;

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
}
