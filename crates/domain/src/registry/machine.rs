//! Machines, on which base stations are installed.

use serde::Serialize;

use crate::Invalid;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
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
