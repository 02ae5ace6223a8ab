//! Antennas and cameras of a base station: their names and the zone radii of antennas.

use std::fmt;

use serde::{Serialize, Serializer};

use crate::values::text;
use crate::{BaseStationId, Invalid, Timestamp};

/// The name of an antenna or a camera: 1 to 32 characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartName(String);

impl PartName {
    pub const MAX_CHARS: usize = 32;

    /// Parses a name and trims it.
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let text = text.trim();
        if text.is_empty() {
            return Err(Invalid::new("required", "must not be empty"));
        }
        text::check(text, Self::MAX_CHARS)?;
        Ok(Self(text.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the folded form by which names are compared.
    pub fn key(&self) -> String {
        text::fold(&self.0)
    }
}

impl fmt::Display for PartName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Serialize for PartName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

/// How far a zone reaches: 0.5 to 50 m, in whole centimetres.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ZoneRadius(i64);

impl ZoneRadius {
    pub fn from_metres(metres: f64) -> Result<Self, Invalid> {
        let centimetres = metres * 100.0;
        let whole = centimetres.round();
        if !(50.0..=5000.0).contains(&whole) {
            return Err(Invalid::new("out_of_range", "must be from 0.5 to 50 metres"));
        }
        if (centimetres - whole).abs() > 1e-6 {
            return Err(Invalid::new("out_of_range", "must be in steps of a centimetre"));
        }
        #[expect(clippy::cast_possible_truncation, reason = "50 to 5000")]
        Ok(Self(whole as i64))
    }

    /// Wraps a stored value without checking it.
    pub const fn from_centimetres(centimetres: i64) -> Self {
        Self(centimetres)
    }

    pub const fn centimetres(self) -> i64 {
        self.0
    }

    pub fn metres(self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "a few thousand at most")]
        let centimetres = self.0 as f64;
        centimetres / 100.0
    }
}

impl Serialize for ZoneRadius {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.metres())
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AntennaZones {
    pub antenna: PartName,
    #[serde(rename = "warning_m")]
    pub warning: ZoneRadius,
    /// At most as large as `warning`.
    #[serde(rename = "danger_m")]
    pub danger: ZoneRadius,
}

/// Maximum number of cameras of a station.
pub const MAX_CAMERAS: usize = 8;

/// Maximum number of antennas of a station.
pub const MAX_ANTENNAS: usize = 16;

/// The zones around one antenna during a period.
#[derive(Clone, Debug, PartialEq, Eq, macros::FromRow)]
pub struct StationZones {
    /// The ids of a station's zones grow in the order in which they were set.
    pub id: i64,
    #[row(column = "base_station_id")]
    pub base_station: BaseStationId,
    /// The antenna with its radii.
    #[row(flatten)]
    pub zones: AntennaZones,
    #[row(column = "from_at")]
    pub from: Timestamp,
    /// The end, exclusive; none while they are open.
    #[row(column = "to_at")]
    pub to: Option<Timestamp>,
    pub created_at: Timestamp,
    /// Time at which they were last ended or reopened; that of the creation before that.
    pub updated_at: Timestamp,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reaches_are_bounded_and_in_centimetres() {
        for (metres, expected) in [(0.5, 50), (50.0, 5000), (2.35, 235), (0.57, 57), (4.1, 410)] {
            let reach = ZoneRadius::from_metres(metres).unwrap();
            assert_eq!((reach.centimetres(), reach.metres()), (expected, metres));
        }
        for metres in [0.49, 0.0, -3.0, 50.01, 1e300, 2.345, 0.4999, 50.001] {
            assert_eq!(
                ZoneRadius::from_metres(metres).unwrap_err().code,
                "out_of_range",
                "{metres} was taken"
            );
        }
        assert!(
            ZoneRadius::from_metres(f64::NAN).is_err() && ZoneRadius::from_metres(f64::INFINITY).is_err()
        );
    }

    #[test]
    fn names_are_trimmed_and_bounded() {
        assert_eq!(PartName::parse(" Rear left ").unwrap().key(), "rear left");
        assert_eq!(PartName::parse(&"x".repeat(33)).unwrap_err().code, "too_long");
        assert_eq!(PartName::parse("").unwrap_err().code, "required");
    }
}
