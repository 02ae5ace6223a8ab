//! The geometry of a worksite: its spots in metres and in degrees, and the boundary around them.

use domain::Coordinates;
use serde_json::{Value, json};

use crate::primitives::chance::Chance;
use crate::primitives::compass;

/// Metres per degree to the north, exact enough for a few hundred metres.
const METRES_PER_DEGREE_LAT: f64 = 111_132.0;

/// The part of the shape within which everything happens. It lies well inside the boundary: edges span at most 70 degrees, so they come no
/// closer to the centre than cos 35° = 0.82 of the smallest radius.
const INNER_FRACTION: f64 = 0.75;

/// A spot on a worksite, in metres from its centre.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Spot {
    pub east_m: f64,
    pub north_m: f64,
}

impl Spot {
    /// Returns the spot between two spots, at a share of the way.
    pub fn interpolate(self, other: Self, share: f64) -> Self {
        Self {
            east_m: self.east_m + (other.east_m - self.east_m) * share,
            north_m: self.north_m + (other.north_m - self.north_m) * share,
        }
    }

    pub fn distance(self, other: Self) -> f64 {
        let (east, north) = (other.east_m - self.east_m, other.north_m - self.north_m);
        (east * east + north * north).sqrt()
    }
}

/// Rounds to the nearest integer. A call to `round` costs as much as the rest of a fix.
fn round_to_i32(parts: f64) -> i32 {
    (parts + if parts < 0.0 { -0.5 } else { 0.5 }) as i32
}

/// A round shape, stretched and rotated, on the globe.
#[derive(Clone, Debug)]
pub(crate) struct SiteGeometry {
    lat: f64,
    lon: f64,
    /// Metres per degree to the east.
    metres_per_degree_lon: f64,
    /// Length and width from the centre.
    half_extent_m: (f64, f64),
    /// The direction of its length.
    axis: (f64, f64),
}

impl SiteGeometry {
    pub fn new(lat: f64, lon: f64, reach: (f64, f64), heading: usize) -> Self {
        let lon_degree_m = 111_320.0 * compass::cosine(lat);
        Self {
            lat,
            lon,
            metres_per_degree_lon: lon_degree_m,
            half_extent_m: reach,
            axis: compass::heading_vector(heading),
        }
    }

    /// Maps the unit disc to the inner part of the worksite.
    pub fn spot(&self, (x, y): (f64, f64)) -> Spot {
        self.to_spot(x * INNER_FRACTION, y * INNER_FRACTION)
    }

    fn to_spot(&self, x: f64, y: f64) -> Spot {
        let ((length, width), (east, north)) = (self.half_extent_m, self.axis);
        let (x, y) = (x * length, y * width);
        Spot { east_m: x * east + y * north, north_m: x * north - y * east }
    }

    /// Returns latitude and longitude.
    fn degrees(&self, spot: Spot) -> (f64, f64) {
        (self.lat + spot.north_m / METRES_PER_DEGREE_LAT, self.lon + spot.east_m / self.metres_per_degree_lon)
    }

    pub fn coordinates(&self, spot: Spot) -> Coordinates {
        let (lat, lon) = self.degrees(spot);
        Coordinates { lat_e7: round_to_i32(lat * 1e7), lon_e7: round_to_i32(lon * 1e7) }
    }

    /// Returns millionths of a degree, the resolution of tracks.
    pub fn fix_e6(&self, spot: Spot) -> (i32, i32) {
        let (lat, lon) = self.degrees(spot);
        (round_to_i32(lat * 1e6), round_to_i32(lon * 1e6))
    }

    /// Returns the boundary as a circle.
    pub fn circle(&self) -> Value {
        let Coordinates { lat_e7, lon_e7 } = self.coordinates(Spot { east_m: 0.0, north_m: 0.0 });
        let (lon, lat) = (f64::from(lon_e7) / 1e7, f64::from(lat_e7) / 1e7);
        json!({ "type": "Circle", "center": [lon, lat], "radius_m": self.half_extent_m.0.min(self.half_extent_m.1) })
    }

    /// Returns the boundary as a polygon of six to nine corners that contains the inner part of the shape.
    pub fn polygon(&self, chance: &mut Chance) -> Value {
        let corners = chance.integer(6, 9) as usize;
        let corner = |index: usize| {
            // At most one step from the corner of a regular polygon, so that corners stay in order.
            let step = index * compass::STEPS / corners + chance.below(2);
            let ((x, y), far) = (compass::heading_vector(step), chance.between(1.0, 1.25));
            let place = self.coordinates(self.to_spot(x * far, y * far));
            json!([f64::from(place.lon_e7) / 1e7, f64::from(place.lat_e7) / 1e7])
        };
        let mut ring: Vec<Value> = (0..corners).map(corner).collect();
        ring.push(ring[0].clone());
        json!({ "type": "Polygon", "coordinates": [ring] })
    }
}
