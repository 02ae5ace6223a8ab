//! Reads the definition of a saved view, by the same rules as a pivot or filter that is run directly.

use app::{Error, ViewDefinition, ViewQuery};
use domain::SavedViewKind;
use serde_json::{Map, Value};

use crate::request::fields::{Fields, read_fields};
use crate::request::from_fields::FromFields;
use crate::shapes::filter_fields::read_filters;
use crate::shapes::pivot_fields::PivotFields;

const FIELD: &str = "definition";

/// Reads a definition of the given kind. `None` means that a fault was added.
pub fn read_view_definition(
    fields: &mut Fields,
    kind: SavedViewKind,
    value: Value,
) -> Option<ViewDefinition> {
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
pub fn parse_stored_view(view: &domain::SavedView) -> Result<ViewQuery, Error> {
    let value: Value = serde_json::from_str(&view.definition).map_err(Error::internal)?;
    let read = read_fields(Map::new(), |fields| read_view_definition(fields, view.kind, value));
    read.map(|definition| definition.query).map_err(Error::internal)
}
