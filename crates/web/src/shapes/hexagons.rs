//! The hexagons of a heatmap as GeoJSON, shared by both API versions.

use app::insights::{Heatmap, Hexagon};
use serde::Serialize;
use utoipa::ToSchema;

use crate::shapes::figures::NamedMetrics;

/// A hexagon of a heatmap, as a GeoJSON feature.
#[derive(Serialize, ToSchema)]
pub struct HexagonFeature {
    /// GeoJSON type, always `Feature`.
    #[schema(example = "Feature")]
    r#type: &'static str,
    /// H3 cell of the hexagon.
    #[schema(example = "8b1f1d48b1a8fff")]
    id: String,
    geometry: HexagonGeometry,
    /// Metrics of the hexagon: `incursions` and `acknowledgement_rate`.
    properties: NamedMetrics,
}

/// The outline of a hexagon.
#[derive(Serialize, ToSchema)]
pub struct HexagonGeometry {
    /// GeoJSON type, always `Polygon`.
    #[schema(example = "Polygon")]
    r#type: &'static str,
    /// One closed ring of `[longitude, latitude]` pairs; the first is repeated at the end.
    coordinates: [Vec<[f64; 2]>; 1],
}

impl From<Hexagon> for HexagonFeature {
    fn from(hexagon: Hexagon) -> Self {
        Self {
            r#type: "Feature",
            id: hexagon.cell,
            geometry: HexagonGeometry { r#type: "Polygon", coordinates: [hexagon.corners] },
            properties: NamedMetrics::new(&Heatmap::MEASURES, &hexagon.figures),
        }
    }
}
