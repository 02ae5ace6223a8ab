//! Positions on the ground.

use domain::{Invalid, Place};
use serde_json::{Value, json};

/// How many parts a degree has.
const PARTS: f64 = 1e9;

/// A position in whole nanodegrees. Ordered from west to east, then from south to north.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    pub(crate) lon: i64,
    pub(crate) lat: i64,
}

impl Position {
    /// A position from degrees; none if they are not on the globe.
    pub fn new(lon: f64, lat: f64) -> Option<Self> {
        let fits = (-180.0..=180.0).contains(&lon) && (-90.0..=90.0).contains(&lat);
        // Rounded, both stay far within what an i64 holds.
        fits.then(|| Self { lon: (lon * PARTS).round() as i64, lat: (lat * PARTS).round() as i64 })
    }

    /// Where a device says it was.
    pub fn of(place: Place) -> Self {
        Self { lon: i64::from(place.lon_e7) * 100, lat: i64::from(place.lat_e7) * 100 }
    }

    /// Reads `lon,lat` in degrees.
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let invalid = || Invalid::new("out_of_range", "must be lon,lat in degrees, such as 13.405,52.52");
        let (lon, lat) = text.split_once(',').ok_or_else(invalid)?;
        let degrees = |text: &str| text.trim().parse::<f64>().map_err(|_| invalid());
        Self::new(degrees(lon)?, degrees(lat)?).ok_or_else(invalid)
    }

    /// Degrees to the east.
    pub fn lon(self) -> f64 {
        self.lon as f64 / PARTS
    }

    /// Degrees to the north.
    pub fn lat(self) -> f64 {
        self.lat as f64 / PARTS
    }

    pub(crate) fn to_geojson(self) -> Value {
        json!([self.lon(), self.lat()])
    }
}

/// On which side of the line from `a` to `b` the position `c` lies: positive to the left, negative to the right, 0 on it.
pub(crate) fn side(a: Position, b: Position, c: Position) -> i128 {
    let wide = i128::from;
    wide(b.lon - a.lon) * wide(c.lat - a.lat) - wide(b.lat - a.lat) * wide(c.lon - a.lon)
}

/// Whether `c`, which lies on the line through `a` and `b`, lies between them or on one of them.
pub(crate) fn is_between(a: Position, b: Position, c: Position) -> bool {
    let within = |a: i64, b: i64, c: i64| (a.min(b)..=a.max(b)).contains(&c);
    within(a.lon, b.lon, c.lon) && within(a.lat, b.lat, c.lat)
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
        let at = |lon, lat| Position { lon, lat };
        let (a, b) = (at(-180_000_000_000, -90_000_000_000), at(180_000_000_000, 90_000_000_000));
        assert_eq!(side(a, b, at(0, 0)), 0);
        assert!(side(a, b, at(0, 1)) > 0 && side(a, b, at(1, 0)) < 0);
    }
}
