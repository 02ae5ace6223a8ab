//! The boundary of a worksite.

use domain::Invalid;
use serde_json::{Value, json};

use crate::circle::Circle;
use crate::polygon::Polygon;
use crate::position::Position;
use crate::rings::invalid;

/// The least and the most square metres of a boundary: a garden shed, and 10,000 km².
const MIN_AREA_M2: f64 = 10.0;
const MAX_AREA_M2: f64 = 1e10;

/// A polygon with holes, or a circle, that was found to be one. What lies on its edge is inside.
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
    /// Reads a GeoJSON polygon, a feature that holds one, or `{"type": "Circle", "center": [lon, lat], "radius_m": …}`.
    pub fn from_geojson(value: &Value) -> Result<Self, Invalid> {
        let Value::Object(object) = value else {
            return Err(Invalid::new("wrong_type", "must be a GeoJSON polygon, or a circle"));
        };
        let object = match object.get("type").and_then(Value::as_str) {
            Some("Feature") => match object.get("geometry") {
                Some(Value::Object(geometry)) => geometry,
                _ => return Err(invalid("the feature has no geometry")),
            },
            _ => object,
        };
        let shape = match object.get("type").and_then(Value::as_str) {
            Some("Polygon") => Shape::Polygon(Polygon::read(object.get("coordinates"))?),
            Some("Circle") => Shape::Circle(Circle::read(object.get("center"), object.get("radius_m"))?),
            _ => return Err(invalid("the type must be Polygon, Circle, or Feature with one of them")),
        };
        let area_m2 = shape.area_m2();
        if area_m2 < MIN_AREA_M2 {
            return Err(invalid(format!(
                "the area is {area_m2:.1} m²; it must be at least {MIN_AREA_M2} m²"
            )));
        }
        if area_m2 > MAX_AREA_M2 {
            let km2 = area_m2 / 1e6;
            return Err(invalid(format!(
                "the area is {km2:.0} km²; it must be at most {:.0} km²",
                MAX_AREA_M2 / 1e6
            )));
        }
        if let Shape::Circle(circle) = &shape {
            circle.check()?;
        }
        Ok(Self { shape, area_m2 })
    }

    /// Takes what was read and checked before, as [`Self::kept`] wrote it.
    pub fn from_stored(text: &str, area_m2: i64) -> Option<Self> {
        let value: Value = serde_json::from_str(text).ok()?;
        let shape = match value.get("type")?.as_str()? {
            "Polygon" => Shape::Polygon(Polygon::from_stored(value.get("coordinates"))?),
            "Circle" => Shape::Circle(Circle::read(value.get("center"), value.get("radius_m")).ok()?),
            _ => return None,
        };
        Some(Self { shape, area_m2: area_m2 as f64 })
    }

    /// The text it is kept as; the same for the same boundary.
    pub fn to_stored(&self) -> String {
        self.to_geojson().to_string()
    }

    /// As it is shown: polygons wound the way RFC 7946 has it.
    pub fn to_geojson(&self) -> Value {
        match &self.shape {
            Shape::Polygon(polygon) => polygon.to_geojson(),
            Shape::Circle(circle) => circle.to_geojson(),
        }
    }

    /// As any map can draw it: a circle becomes a polygon.
    pub fn outline(&self) -> Value {
        match &self.shape {
            Shape::Polygon(polygon) => polygon.to_geojson(),
            Shape::Circle(circle) => circle.outline(),
        }
    }

    /// Centre and radius in metres, if it is a circle.
    pub fn circle(&self) -> Option<(Value, f64)> {
        match &self.shape {
            Shape::Polygon(_) => None,
            Shape::Circle(circle) => Some((circle.to_geojson()["center"].clone(), circle.radius_m())),
        }
    }

    /// Whole square metres on the ellipsoid.
    pub fn area_m2(&self) -> i64 {
        // At most 1e10.
        self.area_m2.round() as i64
    }

    /// Whether a position is inside, or on the edge, of a hole too.
    pub fn contains(&self, at: Position) -> bool {
        match &self.shape {
            Shape::Polygon(polygon) => polygon.contains(at),
            Shape::Circle(circle) => circle.contains(at),
        }
    }

    /// A box around it in degrees: west, south, east, north.
    pub fn bbox(&self) -> [f64; 4] {
        let extent = match &self.shape {
            Shape::Polygon(polygon) => polygon.extent(),
            Shape::Circle(circle) => circle.outline_extent(),
        };
        extent.map(|parts| parts as f64 / 1e9)
    }

    /// A box that holds it for certain, in nanodegrees.
    pub(crate) fn extent(&self) -> [i64; 4] {
        match &self.shape {
            Shape::Polygon(polygon) => polygon.extent(),
            Shape::Circle(circle) => circle.extent(),
        }
    }

    /// A GeoJSON feature of it.
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
