//! Reads the definition of a saved view, by the same rules as a pivot or filter that is run directly.

use app::{Error, ViewDefinition, ViewQuery};
use domain::SavedViewKind;
use serde_json::{Map, Value, json};
use utoipa::openapi::schema::{AdditionalProperties, ObjectBuilder, Schema};
use web::{Fields, FromFields, read_fields, read_filters};

use crate::advanced_insights::PivotFields;

const FIELD: &str = "definition";

/// Reads a definition of the given kind. `None` means that a fault was added.
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

/// Parses a stored definition, which was validated when the view was saved.
pub fn parse_stored(view: &domain::SavedView) -> Result<ViewQuery, Error> {
    let value: Value = serde_json::from_str(&view.definition).map_err(Error::internal)?;
    let read = read_fields(Map::new(), |fields| read(fields, view.kind, value));
    read.map(|definition| definition.query).map_err(Error::internal)
}

/// Schema of a definition in the OpenAPI document.
pub(super) fn schema() -> Schema {
    ObjectBuilder::new()
        .additional_properties(Some(AdditionalProperties::FreeForm(true)))
        .description(Some(
            "Query of the view. For the kind `pivot`, the body of `POST /api/v2/advanced_insights/pivot`; for the kind `filter`, its \
             `filters` only. Without `from` and `to`, the view covers 28 local days, of which the day it is run is the last.",
        ))
        .examples([json!({
            "rows": ["machine"], "measures": ["incursions"], "filters": { "zone": ["danger"] },
        })])
        .build()
        .into()
}
