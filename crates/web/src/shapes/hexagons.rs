//! Hexagons of the ground as GeoJSON, the same in both versions.

use app::insights::{Heatmap, Hexagon};
use serde::Serialize;
use utoipa::ToSchema;

use crate::shapes::figures::NamedMetrics;

/// A hexagon.
#[derive(Serialize, ToSchema)]
pub struct HexagonFeature {
    /// Always `Feature`.
    #[schema(example = "Feature")]
    r#type: &'static str,
    /// The cell of H3.
    #[schema(example = "8b1f1d48b1a8fff")]
    id: String,
    geometry: HexagonGeometry,
    /// `incursions` and `acknowledgement_rate`.
    properties: NamedMetrics,
}

/// The outline of a hexagon.
#[derive(Serialize, ToSchema)]
pub struct HexagonGeometry {
    /// Always `Polygon`.
    #[schema(example = "Polygon")]
    r#type: &'static str,
    /// One ring of longitudes and latitudes, the first again at the end.
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
