//! Polygonal boundaries.

use geographiclib_rs::{Geodesic, PolygonArea, Winding};
use serde_json::{Value, json};

use crate::fault::{BoundaryFault, FaultKind};
use crate::position::Position;
use crate::rings::{self, MAX_POINTS, PointLocation};

/// An outline with holes, without the closing points: the outline counterclockwise, holes clockwise (RFC 7946).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Polygon {
    rings: Vec<Vec<Position>>,
}

impl Polygon {
    /// Parses and validates the `coordinates` of a GeoJSON polygon.
    pub fn read(coordinates: Option<&Value>) -> Result<Self, BoundaryFault> {
        let Some(Value::Array(given)) = coordinates else {
            return Err(BoundaryFault::malformed("coordinates must be a list of rings"));
        };
        if given.is_empty() {
            return Err(BoundaryFault::malformed("there is no ring"));
        }
        let count: usize =
            given.iter().filter_map(Value::as_array).map(|ring| ring.len().saturating_sub(1)).sum();
        if count > MAX_POINTS || given.len() > MAX_POINTS {
            let message = format!("there are more than {MAX_POINTS} points");
            return Err(BoundaryFault::new(FaultKind::TooManyPoints, message));
        }
        let rings: Vec<Vec<Position>> = given
            .iter()
            .enumerate()
            .map(|(ring, points)| read_ring(ring, points))
            .collect::<Result<_, _>>()?;
        rings::check(&rings)?;
        Ok(Self::with_winding_order(rings))
    }

    /// Reads stored rings without validating them again.
    pub fn from_stored(coordinates: Option<&Value>) -> Option<Self> {
        let rings =
            coordinates?.as_array()?.iter().enumerate().map(|(ring, points)| read_ring(ring, points).ok());
        rings.collect::<Option<Vec<_>>>().filter(|rings| !rings.is_empty()).map(Self::with_winding_order)
    }

    fn with_winding_order(mut rings: Vec<Vec<Position>>) -> Self {
        for (index, ring) in rings.iter_mut().enumerate() {
            if (rings::signed_doubled_area(ring) > 0) != (index == 0) {
                ring.reverse();
            }
        }
        Self { rings }
    }

    /// Whether a position is inside or on an edge; the edge of a hole counts as inside.
    pub fn contains(&self, at: Position) -> bool {
        let Some((outline, holes)) = self.rings.split_first() else { return false };
        rings::encloses(outline, at)
            && holes.iter().all(|hole| rings::locate(hole, at) != PointLocation::Inside)
    }

    /// Returns the area on the ellipsoid.
    pub fn area_m2(&self) -> f64 {
        let areas = self.rings.iter().map(|ring| ring_area_m2(ring));
        areas.enumerate().fold(0.0, |sum, (index, area)| if index == 0 { area } else { sum - area })
    }

    pub fn extent(&self) -> [i64; 4] {
        rings::extent(self.rings.first().map_or(&[], Vec::as_slice))
    }

    pub fn to_geojson(&self) -> Value {
        let ring = |ring: &Vec<Position>| -> Value {
            ring.iter().chain(ring.first()).map(|at| at.to_geojson()).collect()
        };
        json!({ "type": "Polygon", "coordinates": self.rings.iter().map(ring).collect::<Value>() })
    }

    #[cfg(test)]
    pub fn rings(&self) -> &[Vec<Position>] {
        &self.rings
    }
}

/// Parses a closed ring and returns it without its closing point.
fn read_ring(ring: usize, points: &Value) -> Result<Vec<Position>, BoundaryFault> {
    let Value::Array(points) = points else {
        return Err(BoundaryFault::malformed(format!("ring {ring} must be a list of positions")));
    };
    if points.len() < 4 {
        let message = format!("ring {ring} has {} points; a closed ring has at least 4", points.len());
        return Err(BoundaryFault::new(FaultKind::TooFewPoints, message));
    }
    let read =
        |(index, point): (usize, &Value)| read_position(point, || format!("point {index} of ring {ring}"));
    let mut read: Vec<Position> = points.iter().enumerate().map(read).collect::<Result<_, _>>()?;
    let last = read.pop();
    match (read.first(), last) {
        (Some(first), Some(last)) if *first == last => Ok(read),
        (Some(first), Some(last)) => {
            let message = format!(
                "ring {ring} is not closed: it begins at {} and ends at {}",
                rings::format_position(*first),
                rings::format_position(last)
            );
            Err(BoundaryFault::new(FaultKind::NotClosed, message).at(*first))
        }
        _ => Err(BoundaryFault::malformed(format!("ring {ring} is empty"))),
    }
}

/// Parses `[lon, lat]`, which faults call by this name; a height is ignored.
pub(crate) fn read_position(value: &Value, name: impl Fn() -> String) -> Result<Position, BoundaryFault> {
    let numbers: Option<Vec<f64>> =
        value.as_array().filter(|all| all.len() <= 3).and_then(|all| all.iter().map(Value::as_f64).collect());
    match numbers.as_deref() {
        Some([lon, lat] | [lon, lat, _]) => Position::new(*lon, *lat).ok_or_else(|| {
            let message = format!(
                "{} is not on the globe: [{lon}, {lat}]; the longitude is from -180 to 180, the latitude from -90 to 90",
                name()
            );
            BoundaryFault::new(FaultKind::OffTheGlobe, message)
        }),
        _ => Err(BoundaryFault::malformed(format!("{} must be [longitude, latitude]", name()))),
    }
}

fn ring_area_m2(ring: &[Position]) -> f64 {
    let ellipsoid = Geodesic::wgs84();
    let mut area = PolygonArea::new(&ellipsoid, Winding::CounterClockwise);
    let [west, _, east, _] = rings::extent(ring);
    let is_counterclockwise = rings::signed_doubled_area(ring) > 0;
    let mut add = |at: &Position| area.add_point(at.lat(), at.lon());
    if is_counterclockwise {
        ring.iter().for_each(&mut add);
    } else {
        ring.iter().rev().for_each(&mut add);
    }
    // A ring that spans more than half the globe may enclose more than half of it. A signed area would then be that of the rest
    // of the globe.
    let may_be_vast = east - west > 180_000_000_000;
    let (_, area, _) = area.compute(!may_be_vast);
    area.abs()
}
