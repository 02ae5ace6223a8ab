//! The schema of a worksite's boundary, shared by both API versions.

use serde_json::json;
use utoipa::openapi::schema::{ObjectBuilder, Schema, SchemaType, Type};

/// Returns the schema of a boundary in a request body.
pub fn boundary_schema() -> Schema {
    let ring = json!([[13.4, 52.51], [13.41, 52.51], [13.41, 52.52], [13.4, 52.52], [13.4, 52.51]]);
    ObjectBuilder::new()
        .schema_type(SchemaType::from_iter([Type::Object, Type::Null]))
        .description(Some(
            "Boundary: a GeoJSON polygon with holes (or a feature that contains one), or `{\"type\": \"Circle\", \"center\": \
             [lon, lat], \"radius_m\": …}`. No ring may cross or touch itself or another. At most 10,000 points; 10 m² to \
             10,000 km²; not across the antimeridian. Coordinates are stored with nine decimals. Null means no boundary.",
        ))
        .examples([json!({ "type": "Polygon", "coordinates": [ring] })])
        .build()
        .into()
}
