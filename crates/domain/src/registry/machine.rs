//! Machines, which base stations are fitted on.

use serde::Serialize;

use crate::Invalid;

/// What sort of machine it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum MachineKind {
    /// Digs.
    Excavator,
    /// Loads with a bucket.
    Loader,
    /// Carries on and off the road, and tips.
    DumpTruck,
    /// Lifts.
    Crane,
    /// Compacts.
    Roller,
    /// Reaches with a telescopic boom.
    Telehandler,
    /// Lifts pallets.
    Forklift,
    /// Pushes with a blade.
    Dozer,
    /// Carries on the road.
    Truck,
    /// Anything else.
    Other,
}

impl MachineKind {
    /// All of them.
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

    /// The word for it, in tables and answers alike.
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

    /// Reads the word.
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let found = Self::ALL.into_iter().find(|kind| kind.as_str() == text);
        found.ok_or_else(|| {
            let words = Self::ALL.map(Self::as_str).join(", ");
            Invalid::new("invalid_kind", format!("must be one of {words}"))
        })
    }
}

/// The year a machine was built in: 1900 or later. That it is not in the future the use case checks, which has the clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct Year(i64);

impl Year {
    /// Reads a whole number from 1900 to 2200.
    pub fn new(number: i64) -> Result<Self, Invalid> {
        if (1900..=2200).contains(&number) {
            return Ok(Self(number));
        }
        Err(Invalid::new("out_of_range", "must be a year from 1900 to the next one"))
    }

    /// The number.
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
