//! The boundary of a worksite: parsing, storage and containment.

use domain::Invalid;
use serde_json::{Value, json};

use crate::circle::Circle;
use crate::fault::{BoundaryFault, FaultKind};
use crate::polygon::Polygon;
use crate::position::Position;

/// Minimum and maximum area of a boundary, in square metres: a garden shed and 10,000 km².
const MIN_AREA_M2: f64 = 10.0;
const MAX_AREA_M2: f64 = 1e10;

/// A validated polygon with holes, or a circle. Its edge counts as inside.
#[derive(Clone, Debug, PartialEq)]
pub struct Boundary {
    shape: Shape,
    area_m2: f64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Shape {
    Polygon(Polygon),
    Circle(Circle),
}

impl Boundary {
    /// Parses a GeoJSON polygon, a feature that contains one, or `{"type": "Circle", "center": [lon, lat], "radius_m": …}`.
    pub fn from_geojson(value: &Value) -> Result<Self, Invalid> {
        Self::read(value).map_err(Invalid::from)
    }

    /// The same as [`Self::from_geojson`], for those who say what is wrong in their own words.
    pub fn read(value: &Value) -> Result<Self, BoundaryFault> {
        let Value::Object(object) = value else {
            let message = "must be a GeoJSON polygon, or a circle";
            return Err(BoundaryFault::new(FaultKind::WrongType, message));
        };
        let object = match object.get("type").and_then(Value::as_str) {
            Some("Feature") => match object.get("geometry") {
                Some(Value::Object(geometry)) => geometry,
                _ => return Err(BoundaryFault::malformed("the feature has no geometry")),
            },
            _ => object,
        };
        let shape = match object.get("type").and_then(Value::as_str) {
            Some("Polygon") => Shape::Polygon(Polygon::read(object.get("coordinates"))?),
            Some("Circle") => Shape::Circle(Circle::read(object.get("center"), object.get("radius_m"))?),
            _ => {
                let message = "the type must be Polygon, Circle, or Feature with one of them";
                return Err(BoundaryFault::malformed(message));
            }
        };
        let area_m2 = shape.area_m2();
        if area_m2 < MIN_AREA_M2 {
            let message = format!("the area is {area_m2:.1} m²; it must be at least {MIN_AREA_M2} m²");
            return Err(BoundaryFault::new(FaultKind::TooSmall, message));
        }
        if area_m2 > MAX_AREA_M2 {
            let km2 = area_m2 / 1e6;
            let message =
                format!("the area is {km2:.0} km²; it must be at most {:.0} km²", MAX_AREA_M2 / 1e6);
            return Err(BoundaryFault::new(FaultKind::TooLarge, message));
        }
        if let Shape::Circle(circle) = &shape {
            circle.check()?;
        }
        Ok(Self { shape, area_m2 })
    }

    /// Reads what [`Self::to_stored`] wrote, without validating it again.
    pub fn from_stored(text: &str, area_m2: i64) -> Option<Self> {
        let value: Value = serde_json::from_str(text).ok()?;
        let shape = match value.get("type")?.as_str()? {
            "Polygon" => Shape::Polygon(Polygon::from_stored(value.get("coordinates"))?),
            "Circle" => Shape::Circle(Circle::read(value.get("center"), value.get("radius_m")).ok()?),
            _ => return None,
        };
        Some(Self { shape, area_m2: area_m2 as f64 })
    }

    /// Writes the stored form, which is the same for equal boundaries.
    pub fn to_stored(&self) -> String {
        self.to_geojson().to_string()
    }

    /// Returns the boundary as it is shown, with polygons wound as in RFC 7946.
    pub fn to_geojson(&self) -> Value {
        match &self.shape {
            Shape::Polygon(polygon) => polygon.to_geojson(),
            Shape::Circle(circle) => circle.to_geojson(),
        }
    }

    /// Returns a GeoJSON polygon that any map can draw, also for a circle.
    pub fn outline(&self) -> Value {
        match &self.shape {
            Shape::Polygon(polygon) => polygon.to_geojson(),
            Shape::Circle(circle) => circle.outline(),
        }
    }

    /// Returns the centre and the radius in metres, if it is a circle.
    pub fn circle(&self) -> Option<(Value, f64)> {
        match &self.shape {
            Shape::Polygon(_) => None,
            Shape::Circle(circle) => Some((circle.to_geojson()["center"].clone(), circle.radius_m())),
        }
    }

    /// Returns the area on the ellipsoid in whole square metres.
    pub fn area_m2(&self) -> i64 {
        self.area_m2.round() as i64
    }

    /// Whether a position is inside or on an edge; the edge of a hole counts as inside.
    pub fn contains(&self, at: Position) -> bool {
        match &self.shape {
            Shape::Polygon(polygon) => polygon.contains(at),
            Shape::Circle(circle) => circle.contains(at),
        }
    }

    /// Returns the bounding box in degrees: west, south, east, north.
    pub fn bbox(&self) -> [f64; 4] {
        let extent = match &self.shape {
            Shape::Polygon(polygon) => polygon.extent(),
            Shape::Circle(circle) => circle.outline_extent(),
        };
        extent.map(|parts| parts as f64 / 1e9)
    }

    /// Returns a bounding box in nanodegrees that may be slightly too large, but never too small.
    pub(crate) fn extent(&self) -> [i64; 4] {
        match &self.shape {
            Shape::Polygon(polygon) => polygon.extent(),
            Shape::Circle(circle) => circle.extent(),
        }
    }

    pub fn to_feature(&self, properties: &Value) -> Value {
        json!({ "type": "Feature", "bbox": self.bbox(), "geometry": self.outline(), "properties": properties })
    }

    #[cfg(test)]
    pub(crate) fn rings(&self) -> &[Vec<Position>] {
        match &self.shape {
            Shape::Polygon(polygon) => polygon.rings(),
            Shape::Circle(_) => &[],
        }
    }
}

impl Shape {
    fn area_m2(&self) -> f64 {
        match self {
            Self::Polygon(polygon) => polygon.area_m2(),
            Self::Circle(circle) => circle.area_m2(),
        }
    }
}

#[cfg(test)]
mod tests;
