//! Positions reported by devices.

use crate::Invalid;

/// A position in ten-millionths of a degree, about a centimetre, as facts store it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Coordinates {
    /// Latitude.
    pub lat_e7: i32,
    /// Longitude.
    pub lon_e7: i32,
}

impl Coordinates {
    /// Parses a latitude in degrees, such as 52.52.
    pub fn latitude_e7(degrees: f64) -> Result<i32, Invalid> {
        Self::degrees_e7(degrees, 90.0)
            .ok_or_else(|| Invalid::new("out_of_range", "must be from -90 to 90 degrees"))
    }

    /// Parses a longitude in degrees, such as 13.405.
    pub fn longitude_e7(degrees: f64) -> Result<i32, Invalid> {
        let invalid = || Invalid::new("out_of_range", "must be from -180 to 180 degrees");
        Self::degrees_e7(degrees, 180.0).ok_or_else(invalid)
    }

    #[expect(clippy::cast_possible_truncation, reason = "180 degrees are 1.8e9 parts, which an i32 holds")]
    fn degrees_e7(degrees: f64, most: f64) -> Option<i32> {
        (-most..=most).contains(&degrees).then(|| (degrees * 1e7).round() as i32)
    }

    /// Returns the latitude in degrees.
    pub fn lat(self) -> f64 {
        f64::from(self.lat_e7) / 1e7
    }

    /// Returns the longitude in degrees.
    pub fn lon(self) -> f64 {
        f64::from(self.lon_e7) / 1e7
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn degrees_are_kept_to_the_seventh_digit() {
        let place = Coordinates {
            lat_e7: Coordinates::latitude_e7(-33.865_143_2).unwrap(),
            lon_e7: Coordinates::longitude_e7(151.209_9).unwrap(),
        };
        assert_eq!((place.lat(), place.lon()), (-33.865_143_2, 151.209_9));
        assert_eq!(Coordinates::longitude_e7(180.0), Ok(1_800_000_000));
        for bad in [90.000_001, -91.0, f64::NAN, f64::INFINITY] {
            assert_eq!(Coordinates::latitude_e7(bad).unwrap_err().code, "out_of_range", "{bad} was taken");
        }
    }
}
