//! Machines, on which base stations are installed.

use serde::Serialize;

use crate::{
    BaseStationId, Invalid, MachineAssignmentId, MachineId, Name, ProjectId, RegistryRows, Timestamp,
    WorksiteId,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum MachineKind {
    Excavator,
    Loader,
    DumpTruck,
    Crane,
    Roller,
    Telehandler,
    Forklift,
    Dozer,
    Truck,
    Other,
}

impl MachineKind {
    pub const ALL: [Self; 10] = [
        Self::Excavator,
        Self::Loader,
        Self::DumpTruck,
        Self::Crane,
        Self::Roller,
        Self::Telehandler,
        Self::Forklift,
        Self::Dozer,
        Self::Truck,
        Self::Other,
    ];

    /// Returns the value stored in tables and sent in API responses.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Excavator => "excavator",
            Self::Loader => "loader",
            Self::DumpTruck => "dump_truck",
            Self::Crane => "crane",
            Self::Roller => "roller",
            Self::Telehandler => "telehandler",
            Self::Forklift => "forklift",
            Self::Dozer => "dozer",
            Self::Truck => "truck",
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

/// The year a machine was built, 1900 or later. The use case, which has the clock, checks that it is not too far in the future.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct Year(i64);

impl Year {
    /// Accepts a whole number from 1900 to 2200.
    pub fn new(number: i64) -> Result<Self, Invalid> {
        if (1900..=2200).contains(&number) {
            return Ok(Self(number));
        }
        Err(Invalid::new("out_of_range", "must be a year from 1900 to next year"))
    }

    pub const fn get(self) -> i64 {
        self.0
    }
}

#[derive(Clone, Debug, macros::FromRow)]
pub struct Machine {
    pub id: MachineId,
    pub name: String,
    pub kind: MachineKind,
    /// The manufacturer's serial number; unique in the brand.
    pub serial_number: Option<String>,
    pub manufacturer: Option<String>,
    pub model: Option<String>,
    /// Year of manufacture.
    pub year: Option<i64>,
    pub number_plate: Option<String>,
    /// The worksite it is assigned to now, with its name.
    #[row(columns("worksite_id", "worksite_name"))]
    pub worksite: Option<(WorksiteId, String)>,
    /// The base station installed on it now, with its serial.
    #[row(columns("base_station_id", "base_station_serial"))]
    pub base_station: Option<(BaseStationId, String)>,
    /// Rises with every change, including changes of its assignments; the `ETag`.
    pub version: i64,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub archived_at: Option<Timestamp>,
    /// The folded name, by which lists are sorted.
    pub name_key: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewMachine {
    pub name: Name,
    pub kind: MachineKind,
    /// The manufacturer's serial number.
    pub serial_number: Option<Name>,
    pub manufacturer: Option<Name>,
    pub model: Option<Name>,
    /// Year of manufacture.
    pub year: Option<Year>,
    pub number_plate: Option<Name>,
    pub archived_at: Option<Timestamp>,
}

#[derive(Clone, Debug, Default)]
pub struct MachineFilter {
    /// True for archived machines only, false for active ones only.
    pub archived: bool,
    /// Only machines of one of these kinds; empty means all.
    pub kinds: Vec<MachineKind>,
    /// Only machines that are at one of these worksites now; empty means all.
    pub worksites: Vec<WorksiteId>,
    /// Only machines that are at a worksite of one of these projects now; empty means all.
    pub projects: Vec<ProjectId>,
    /// Only machines whose name contains this, ignoring case and accents.
    pub q: Option<String>,
    /// Only these rows of the table.
    pub rows: RegistryRows,
}

/// The time of a machine at a worksite.
#[derive(Clone, Debug, macros::FromRow)]
pub struct MachineAssignment {
    pub id: MachineAssignmentId,
    #[row(column = "machine_id")]
    pub machine: MachineId,
    #[row(column = "name")]
    pub machine_name: String,
    #[row(column = "worksite_id")]
    pub worksite: WorksiteId,
    #[row(column = "from_at")]
    pub from: Timestamp,
    /// The end, exclusive; none while it is open.
    #[row(column = "to_at")]
    pub to: Option<Timestamp>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_back() {
        for kind in MachineKind::ALL {
            assert_eq!(MachineKind::parse(kind.as_str()), Ok(kind));
        }
        assert_eq!(MachineKind::parse("tank").unwrap_err().code, "invalid_kind");
    }

    #[test]
    fn years_are_bounded() {
        assert!(Year::new(1900).is_ok() && Year::new(2026).is_ok());
        assert!(Year::new(1899).is_err() && Year::new(2201).is_err() && Year::new(i64::MIN).is_err());
    }
}
