//! The ground of a site: where its places are, in metres and in degrees, and the boundary around them.

use domain::Place;
use serde_json::{Value, json};

use crate::chance::Chance;
use crate::compass;

/// Metres of a degree to the north; near enough for a few hundred metres.
const DEGREE_M: f64 = 111_132.0;

/// The part of the shape within which everything happens. It lies well inside the boundary: edges span 70 degrees at most,
/// so that they come no nearer to the middle than cos 35° = 0.82 of the least radius.
const INNER: f64 = 0.75;

/// A spot on a site, in metres from its middle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Spot {
    pub east: f64,
    pub north: f64,
}

impl Spot {
    /// What lies between two spots, at a share of the way.
    pub fn towards(self, other: Self, share: f64) -> Self {
        Self {
            east: self.east + (other.east - self.east) * share,
            north: self.north + (other.north - self.north) * share,
        }
    }

    pub fn distance(self, other: Self) -> f64 {
        let (east, north) = (other.east - self.east, other.north - self.north);
        (east * east + north * north).sqrt()
    }
}

/// The nearest whole number. A call to `round` costs as much as all the rest of a fix.
fn whole(parts: f64) -> i32 {
    (parts + if parts < 0.0 { -0.5 } else { 0.5 }) as i32
}

/// A round shape, stretched and turned, on the globe.
#[derive(Clone, Debug)]
pub(crate) struct Ground {
    lat: f64,
    lon: f64,
    /// Metres of a degree to the east.
    lon_degree_m: f64,
    /// How long and how wide, from the middle.
    reach: (f64, f64),
    /// The direction of its length.
    along: (f64, f64),
}

impl Ground {
    pub fn new(lat: f64, lon: f64, reach: (f64, f64), heading: usize) -> Self {
        let lon_degree_m = 111_320.0 * compass::cosine(lat);
        Self { lat, lon, lon_degree_m, reach, along: compass::heading(heading) }
    }

    /// From the disc of radius 1 to the inner part of the site.
    pub fn spot(&self, (x, y): (f64, f64)) -> Spot {
        self.stretched(x * INNER, y * INNER)
    }

    fn stretched(&self, x: f64, y: f64) -> Spot {
        let ((length, width), (east, north)) = (self.reach, self.along);
        let (x, y) = (x * length, y * width);
        Spot { east: x * east + y * north, north: x * north - y * east }
    }

    /// Degrees to the north and to the east.
    fn degrees(&self, spot: Spot) -> (f64, f64) {
        (self.lat + spot.north / DEGREE_M, self.lon + spot.east / self.lon_degree_m)
    }

    pub fn place(&self, spot: Spot) -> Place {
        let (lat, lon) = self.degrees(spot);
        Place { lat_e7: whole(lat * 1e7), lon_e7: whole(lon * 1e7) }
    }

    /// The same in millionths of a degree, as tracks keep it.
    pub fn fix(&self, spot: Spot) -> (i32, i32) {
        let (lat, lon) = self.degrees(spot);
        (whole(lat * 1e6), whole(lon * 1e6))
    }

    /// A circle with that reach.
    pub fn circle(&self) -> Value {
        let Place { lat_e7, lon_e7 } = self.place(Spot { east: 0.0, north: 0.0 });
        let (lon, lat) = (f64::from(lon_e7) / 1e7, f64::from(lat_e7) / 1e7);
        json!({ "type": "Circle", "center": [lon, lat], "radius_m": self.reach.0.min(self.reach.1) })
    }

    /// A polygon of six to nine corners that holds the shape's inner part.
    pub fn polygon(&self, chance: &mut Chance) -> Value {
        let corners = chance.whole(6, 9) as usize;
        let corner = |index: usize| {
            // At most one step from where it would be in a regular one, so that corners stay in their order.
            let step = index * compass::STEPS / corners + chance.below(2);
            let ((x, y), far) = (compass::heading(step), chance.between(1.0, 1.25));
            let place = self.place(self.stretched(x * far, y * far));
            json!([f64::from(place.lon_e7) / 1e7, f64::from(place.lat_e7) / 1e7])
        };
        let mut ring: Vec<Value> = (0..corners).map(corner).collect();
        ring.push(ring[0].clone());
        json!({ "type": "Polygon", "coordinates": [ring] })
    }
}
