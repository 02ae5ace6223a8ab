//! Circular boundaries.

use geographiclib_rs::{DirectGeodesic, Geodesic, InverseGeodesic};
use serde_json::{Value, json};

use crate::fault::{BoundaryFault, FaultKind};
use crate::polygon::read_position;
use crate::position::Position;
use crate::rings;

/// Number of corners of the polygon that a circle is drawn as.
const VERTEX_COUNT: u32 = 64;

/// The shortest degree of latitude on the ellipsoid is longer than this, in metres.
const MIN_METRES_PER_DEGREE: f64 = 110_500.0;

/// A centre and a radius in whole millimetres.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Circle {
    center: Position,
    radius_mm: i64,
}

impl Circle {
    /// Parses `center` and `radius_m`; the size is checked later, by the area.
    pub fn read(center: Option<&Value>, radius_m: Option<&Value>) -> Result<Self, BoundaryFault> {
        let center = center.ok_or_else(|| BoundaryFault::malformed("center must be given"))?;
        let center = read_position(center, || "center".to_owned())?;
        let radius_m = radius_m.and_then(Value::as_f64).filter(|radius| *radius > 0.0);
        let message = "radius_m must be a number of metres above 0";
        let radius_m = radius_m.ok_or_else(|| BoundaryFault::malformed(message))?;
        // A radius too large for the globe is capped here and rejected later because of its area.
        Ok(Self { center, radius_mm: (radius_m.min(1e8) * 1_000.0).round() as i64 })
    }

    /// Rejects a circle that reaches over the antimeridian or a pole.
    pub fn check(&self) -> Result<(), BoundaryFault> {
        let [west, south, east, north] = self.extent();
        if south <= -90_000_000_000 || north >= 90_000_000_000 {
            return Err(BoundaryFault::new(FaultKind::OverPole, "the circle reaches over a pole"));
        }
        if west < -180_000_000_000 || east > 180_000_000_000 {
            let message = "the circle crosses the antimeridian; a boundary must lie on one side of it";
            return Err(BoundaryFault::new(FaultKind::OverAntimeridian, message));
        }
        Ok(())
    }

    pub fn contains(&self, at: Position) -> bool {
        self.distance_m(at) <= self.radius_m()
    }

    fn distance_m(&self, at: Position) -> f64 {
        Geodesic::wgs84().inverse(self.center.lat(), self.center.lon(), at.lat(), at.lon())
    }

    pub fn area_m2(&self) -> f64 {
        std::f64::consts::PI * self.radius_m() * self.radius_m()
    }

    pub fn radius_m(&self) -> f64 {
        self.radius_mm as f64 / 1_000.0
    }

    /// Returns a bounding box that is slightly too large.
    pub fn extent(&self) -> [i64; 4] {
        let reach = self.radius_m() / MIN_METRES_PER_DEGREE;
        let farthest = (self.center.lat().abs() + reach).min(89.999);
        let across = (reach / farthest.to_radians().cos()).min(360.0);
        let parts = |degrees: f64| (degrees * 1e9).ceil() as i64;
        let Position { lon_e9: lon, lat_e9: lat } = self.center;
        [lon - parts(across), lat - parts(reach), lon + parts(across), lat + parts(reach)]
    }

    pub fn to_geojson(&self) -> Value {
        json!({ "type": "Circle", "center": self.center.to_geojson(), "radius_m": self.radius_m() })
    }

    /// Returns a GeoJSON polygon that approximates the circle, counterclockwise.
    pub fn outline(&self) -> Value {
        let corners = self.vertices();
        let ring: Value = corners.iter().chain(corners.first()).map(|at| at.to_geojson()).collect();
        json!({ "type": "Polygon", "coordinates": [ring] })
    }

    /// Returns the bounding box of [`Circle::outline`].
    pub fn outline_extent(&self) -> [i64; 4] {
        rings::extent(&self.vertices())
    }

    fn vertices(&self) -> Vec<Position> {
        let ellipsoid = Geodesic::wgs84();
        let corner = |index: u32| {
            let azimuth = -360.0 * f64::from(index) / f64::from(VERTEX_COUNT);
            let (lat, lon): (f64, f64) =
                ellipsoid.direct(self.center.lat(), self.center.lon(), azimuth, self.radius_m());
            Position::new(lon, lat).unwrap_or(self.center)
        };
        (0..VERTEX_COUNT).map(corner).collect()
    }
}
