//! The hexagons of a heatmap as GeoJSON, shared by both API versions.

use app::insights::{Heatmap, Hexagon};

use crate::response::enum_schemas::{FeatureType, PolygonType};
use crate::shapes::figures::NamedMetrics;

/// A hexagon of a heatmap, as a GeoJSON feature.
#[macros::answer]
pub struct HexagonFeature {
    /// GeoJSON type, always `Feature`.
    r#type: FeatureType,
    /// H3 cell of the hexagon.
    #[schema(example = "8b1f1d48b1a8fff")]
    id: String,
    geometry: HexagonGeometry,
    /// Metrics of the hexagon: `incursions` and `acknowledgement_rate`.
    properties: NamedMetrics,
}

/// The outline of a hexagon.
#[macros::answer]
pub struct HexagonGeometry {
    /// GeoJSON type, always `Polygon`.
    r#type: PolygonType,
    /// One closed ring of `[longitude, latitude]` pairs; the first is repeated at the end.
    coordinates: [Vec<[f64; 2]>; 1],
}

impl From<Hexagon> for HexagonFeature {
    fn from(hexagon: Hexagon) -> Self {
        Self {
            r#type: FeatureType,
            id: hexagon.cell,
            geometry: HexagonGeometry { r#type: PolygonType, coordinates: [hexagon.corners] },
            properties: NamedMetrics::new(&Heatmap::MEASURES, &hexagon.figures),
        }
    }
}
