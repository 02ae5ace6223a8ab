//! The request of a pivot as fields of a body, for pivots, exports, saved views and reports.

use app::insights::{PivotRequest, Subtotals};
use domain::Invalid;
use domain::insights::{Dimension, GroupOrder, IncursionFilter, Measure};
use serde_json::Value;

use crate::request::body_field::BodyField;
use crate::request::fields::{Fields, text};
use crate::request::from_fields::FromFields;
use crate::response::enum_schemas;
use crate::shapes::figures::Sorting;
use crate::shapes::filter_fields::{FilterFields, filters_or_default, list_in_given_order};

/// Pivot request.
#[macros::body(parts)]
pub struct NewPivot {
    /// Dimensions of the rows, outermost first; up to four.
    #[schema(value_type = Option<Vec<enum_schemas::Dimension>>, max_items = 4, example = json!(["worksite", "machine"]))]
    #[field(read = row_dimensions)]
    rows: Vec<Dimension>,
    /// Dimensions of the columns, outermost first; up to two.
    #[schema(value_type = Option<Vec<enum_schemas::Dimension>>, max_items = 2, example = json!(["zone"]))]
    #[field(read = column_dimensions)]
    columns: Vec<Dimension>,
    /// Measures of each cell.
    #[schema(value_type = Vec<enum_schemas::Measure>, min_items = 1, max_items = 14,
        example = json!(["incursions", "acknowledgement_rate"]))]
    #[field(read = measure_list)]
    measures: Vec<Measure>,
    /// Filters of the facts.
    #[schema(value_type = Option<FilterFields>)]
    #[field(read = filters_or_default)]
    filters: IncursionFilter,
    /// Measure by which rows with the same parent are sorted; a leading `-` sorts in descending order. If left out, rows are sorted by
    /// their keys.
    #[schema(value_type = Option<enum_schemas::MeasureSort>, example = "-incursions")]
    #[field(parse = Sorting::parse)]
    sort: Option<Sorting>,
    /// Maximum number of rows with the same parent.
    #[schema(maximum = 10000, default = 1000, example = 100)]
    #[field(range = 1..=PivotRequest::MAX_LIMIT as i64)]
    limit: Option<i64>,
    /// Whether to return subtotals and totals. With `false`, only the innermost rows and their cells are returned. Without row
    /// dimensions, the totals are always returned.
    #[schema(default = true, example = true)]
    totals: Option<bool>,
}

/// The parsed pivot request.
pub struct PivotFields(pub Box<IncursionFilter>, pub PivotRequest);

/// Default maximum number of rows with the same parent.
const USUAL_LIMIT: usize = 1_000;

impl FromFields for PivotFields {
    fn read(fields: &mut Fields) -> Option<Self> {
        let parts = NewPivot::read_parts(fields);
        // What only shows when fields are seen together is reported together too.
        let (rows, columns) = (parts.rows.as_deref(), parts.columns.as_deref());
        let repeated =
            PivotRequest::find_repeated_dimensions(rows.unwrap_or_default(), columns.unwrap_or_default());
        for fault in repeated {
            let _: Option<()> = fields.add_fault(&fault.field, fault.invalid);
        }
        if parts.measures.as_ref().is_some_and(Vec::is_empty) {
            let _: Option<()> =
                fields.add_fault("measures", Invalid::new("required", "must name at least one measure"));
        }
        let measures = parts.measures?;
        let order = match parts.sort? {
            None => GroupOrder::ByKeys,
            Some(sort) => match measures.iter().position(|one| *one == sort.measure) {
                Some(place) => sort.order_at(place),
                None => {
                    return fields.add_fault("sort", Invalid::new("not_measured", "must be one of measures"));
                }
            },
        };
        let limit = parts.limit?.and_then(|limit| usize::try_from(limit).ok()).unwrap_or(USUAL_LIMIT);
        let rows = parts.rows?;
        let sums = match parts.totals? {
            Some(false) if !rows.is_empty() => Subtotals::Hidden,
            _ => Subtotals::Shown,
        };
        let request = PivotRequest { rows, columns: parts.columns?, measures, order, limit, subtotals: sums };
        Some(Self(Box::new(parts.filters?), request))
    }
}

fn row_dimensions(fields: &mut Fields, name: &str) -> Option<Vec<Dimension>> {
    list_in_given_order(fields, name, PivotRequest::MAX_ROW_DIMENSIONS, Dimension::from_json)
}

fn column_dimensions(fields: &mut Fields, name: &str) -> Option<Vec<Dimension>> {
    list_in_given_order(fields, name, PivotRequest::MAX_COLUMN_DIMENSIONS, Dimension::from_json)
}

fn measure_list(fields: &mut Fields, name: &str) -> Option<Vec<Measure>> {
    list_in_given_order(fields, name, Measure::ALL.len(), |value| text(Measure::parse)(value))
}

/// Reads a pivot that may be left out. The inner `None` means that it is left out, the outer one that an error was recorded.
pub fn optional_pivot(fields: &mut Fields, name: &str) -> Option<Option<PivotFields>> {
    match fields.take(name) {
        None | Some(Value::Null) => Some(None),
        Some(value) => fields.object(name, value, PivotFields::read).map(Some),
    }
}
