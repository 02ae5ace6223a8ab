//! Worksites, where people and machines work in the same area.

use serde::Serialize;

use crate::{Colour, Invalid, Name, ProjectId, RegistryRows, TimeZone, Timestamp, WorksiteId};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
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

#[derive(Clone, Debug, macros::FromRow)]
pub struct Worksite {
    pub id: WorksiteId,
    pub name: String,
    pub colour: String,
    pub kind: WorksiteKind,
    /// Contact for technical questions.
    pub technical_contact: Option<String>,
    pub time_zone: String,
    /// Always none in lists, because it may be long.
    #[row(flatten)]
    pub boundary: Option<StoredBoundary>,
    /// None without a boundary.
    pub area_m2: Option<i64>,
    #[row(column = "project_id")]
    pub project: Option<ProjectId>,
    /// Rises with every change; the `ETag`.
    pub version: i64,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub archived_at: Option<Timestamp>,
    /// The folded name, by which lists are sorted.
    pub name_key: String,
}

#[derive(Clone, Debug, PartialEq, Eq, macros::FromRow)]
pub struct StoredBoundary {
    /// The canonical text: equal boundaries have equal texts.
    #[row(column = "boundary")]
    pub text: String,
    pub area_m2: i64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewWorksite {
    pub name: Name,
    pub colour: Colour,
    pub kind: WorksiteKind,
    /// Contact for technical questions.
    pub technical_contact: Option<Name>,
    pub time_zone: TimeZone,
    pub boundary: Option<StoredBoundary>,
    pub project: Option<ProjectId>,
    pub archived_at: Option<Timestamp>,
}

#[derive(Clone, Debug, Default)]
pub struct WorksiteFilter {
    /// True for archived worksites only, false for active ones only.
    pub archived: bool,
    /// Only worksites of one of these kinds; empty means all.
    pub kinds: Vec<WorksiteKind>,
    /// Only worksites of one of these projects; empty means all.
    pub projects: Vec<ProjectId>,
    /// Only worksites whose name contains this, ignoring case and accents.
    pub q: Option<String>,
    /// Only these worksites, which were found around a place. The text names the place, and cursors are bound to it.
    pub around: Option<(String, Vec<WorksiteId>)>,
    /// Only these rows of the table.
    pub rows: RegistryRows,
}

/// A term without its boundary, which may be long.
#[derive(Clone, Debug, PartialEq, Eq, macros::FromRow)]
pub struct WorksiteTerm {
    pub id: i64,
    #[row(column = "from_at")]
    pub from: Timestamp,
    /// The end, exclusive; none for the last term.
    #[row(column = "to_at")]
    pub to: Option<Timestamp>,
    pub time_zone: String,
    #[row(column = "project_id")]
    pub project: Option<ProjectId>,
    /// None without a boundary.
    pub area_m2: Option<i64>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
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
