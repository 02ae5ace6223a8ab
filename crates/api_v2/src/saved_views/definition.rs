//! What a view asks, read as it is read where it is asked at once.

use app::{Error, ViewDefinition, ViewQuery};
use domain::SavedViewKind;
use serde_json::{Map, Value, json};
use utoipa::openapi::schema::{AdditionalProperties, ObjectBuilder, Schema};
use web::{Fields, FromFields, read_fields, read_filters};

use crate::advanced_insights::PivotFields;

/// The field it stands in.
pub(super) const FIELD: &str = "definition";

/// Reads a definition of that kind; `None` means a fault was noted.
pub(super) fn read(fields: &mut Fields, kind: SavedViewKind, value: Value) -> Option<ViewDefinition> {
    let text = value.to_string();
    let of = match kind {
        SavedViewKind::Pivot => {
            let PivotFields(filter, request) = fields.object(FIELD, value, PivotFields::read)?;
            ViewQuery::Pivot(filter, request)
        }
        SavedViewKind::Filter => ViewQuery::Filter(Box::new(fields.object(FIELD, value, read_filters)?)),
    };
    Some(ViewDefinition { query: of, json: text })
}

/// What a view asks that was read when it was saved.
pub fn parse_stored(view: &store::SavedView) -> Result<ViewQuery, Error> {
    let value: Value = serde_json::from_str(&view.definition).map_err(Error::internal)?;
    let read = read_fields(Map::new(), |fields| read(fields, view.kind, value));
    read.map(|definition| definition.query).map_err(Error::internal)
}

/// How it stands in the OpenAPI document.
pub(super) fn schema() -> Schema {
    ObjectBuilder::new()
        .additional_properties(Some(AdditionalProperties::FreeForm(true)))
        .description(Some(
            "What it asks: of kind `pivot`, what `POST /api/v2/advanced_insights/pivot` takes; of kind `filter`, what that takes as \
             `filters`. Without `from` and `to` it is about the last 30 days, whenever it is run.",
        ))
        .examples([json!({
            "rows": ["machine"], "measures": ["incursions"], "filters": { "zone": ["danger"] },
        })])
        .build()
        .into()
}
