//! Positions in nanodegrees.

use domain::{Coordinates, Invalid};
use serde_json::{Value, json};

const NANODEGREES_PER_DEGREE: f64 = 1e9;

/// A position in whole nanodegrees, ordered from west to east, then from south to north.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    pub(crate) lon_e9: i64,
    pub(crate) lat_e9: i64,
}

impl Position {
    /// Converts degrees; `None` if they are not on the globe.
    pub fn new(lon: f64, lat: f64) -> Option<Self> {
        let fits = (-180.0..=180.0).contains(&lon) && (-90.0..=90.0).contains(&lat);
        // The rounded values are far within the range of an i64.
        fits.then(|| Self {
            lon_e9: (lon * NANODEGREES_PER_DEGREE).round() as i64,
            lat_e9: (lat * NANODEGREES_PER_DEGREE).round() as i64,
        })
    }

    pub fn from_coordinates(place: Coordinates) -> Self {
        Self { lon_e9: i64::from(place.lon_e7) * 100, lat_e9: i64::from(place.lat_e7) * 100 }
    }

    /// Parses `lon,lat` in degrees.
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let invalid = || Invalid::new("out_of_range", "must be lon,lat in degrees, such as 13.405,52.52");
        let (lon, lat) = text.split_once(',').ok_or_else(invalid)?;
        let degrees = |text: &str| text.trim().parse::<f64>().map_err(|_| invalid());
        Self::new(degrees(lon)?, degrees(lat)?).ok_or_else(invalid)
    }

    /// Returns the longitude in degrees.
    pub fn lon(self) -> f64 {
        self.lon_e9 as f64 / NANODEGREES_PER_DEGREE
    }

    /// Returns the latitude in degrees.
    pub fn lat(self) -> f64 {
        self.lat_e9 as f64 / NANODEGREES_PER_DEGREE
    }

    pub(crate) fn to_geojson(self) -> Value {
        json!([self.lon(), self.lat()])
    }
}

/// Determines on which side of the line from `a` to `b` the position `c` lies: positive to the left, negative to the right, 0 on the
/// line.
pub(crate) fn orientation(a: Position, b: Position, c: Position) -> i128 {
    let wide = i128::from;
    wide(b.lon_e9 - a.lon_e9) * wide(c.lat_e9 - a.lat_e9)
        - wide(b.lat_e9 - a.lat_e9) * wide(c.lon_e9 - a.lon_e9)
}

/// Whether `c`, which must lie on the line through `a` and `b`, lies between them or on one of them.
pub(crate) fn is_between(a: Position, b: Position, c: Position) -> bool {
    let within = |a: i64, b: i64, c: i64| (a.min(b)..=a.max(b)).contains(&c);
    within(a.lon_e9, b.lon_e9, c.lon_e9) && within(a.lat_e9, b.lat_e9, c.lat_e9)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn degrees_are_read_and_written_back() {
        let at = Position::parse("13.405, 52.52").unwrap();
        assert_eq!((at.lon(), at.lat()), (13.405, 52.52));
        assert_eq!(at.to_geojson().to_string(), "[13.405,52.52]");
        for bad in ["", "1", "1,2,3", "nan,1", "inf,1", "181,0", "0,-90.1", "a,b", ","] {
            assert_eq!(Position::parse(bad).unwrap_err().code, "out_of_range", "{bad:?} was taken");
        }
        assert_eq!(Position::new(-0.0, 0.0), Position::new(0.0, -0.0));
    }

    #[test]
    fn sides_are_told_apart_at_the_last_part() {
        let at = |lon, lat| Position { lon_e9: lon, lat_e9: lat };
        let (a, b) = (at(-180_000_000_000, -90_000_000_000), at(180_000_000_000, 90_000_000_000));
        assert_eq!(orientation(a, b, at(0, 0)), 0);
        assert!(orientation(a, b, at(0, 1)) > 0 && orientation(a, b, at(1, 0)) < 0);
    }
}
