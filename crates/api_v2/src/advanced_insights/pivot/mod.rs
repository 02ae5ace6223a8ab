//! /api/v2/advanced_insights/pivot: the request body and the response of a pivot.

pub mod compute;
pub mod run_view;

use std::collections::BTreeMap;

use app::insights::{Pivot, PivotRequest, PivotRow, Subtotals};
use domain::Invalid;
use domain::insights::{Dimension, Figure, GroupOrder, IncursionFilter, Measure};
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;
use web::{
    BodyField, DimensionValue, Fields, FilterFields, FromFields, Sorting, enum_schemas, filters_or_default,
    list_in_given_order, metric_value, text,
};

/// Pivot request.
#[web::body(parts)]
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
    #[schema(example = "-incursions")]
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
        let measures = parts.measures?;
        if measures.is_empty() {
            return fields.add_fault("measures", Invalid::new("required", "must name at least one measure"));
        }
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

/// A computed pivot.
#[derive(Serialize, ToSchema)]
pub struct PivotAnswer {
    /// Dimensions of the rows and columns.
    dimensions: PivotDimensions,
    /// Measures in the order of each cell.
    measures: Vec<PivotMeasure>,
    /// Keys of each column; without column dimensions, one column with no keys.
    column_keys: Vec<Vec<DimensionValue>>,
    /// Rows, each followed by its children.
    rows: Vec<PivotRowAnswer>,
    /// Totals of all rows, including those left out by `limit`; null if totals were not requested.
    totals: Option<PivotTotals>,
    /// Number of outermost rows left out; without totals, number of rows left out at any level.
    #[schema(example = 0)]
    more: u64,
    /// Time zones that days and hours refer to: those of the worksites concerned.
    #[schema(example = json!(["Europe/Berlin"]))]
    time_zones: Vec<String>,
    /// Start of the period: a time in RFC 3339, or a date in the local time of each worksite.
    #[schema(example = "2026-02-01")]
    from: String,
    /// End of the period, exclusive.
    #[schema(example = "2026-03-01")]
    to: String,
    /// Sequence number of the brand's last change that the answer includes.
    #[schema(example = 1207)]
    seq: i64,
}

/// Dimensions of a pivot.
#[derive(Serialize, ToSchema)]
pub struct PivotDimensions {
    /// Row dimensions, outermost first.
    #[schema(value_type = Vec<enum_schemas::Dimension>)]
    rows: Vec<&'static str>,
    /// Column dimensions, outermost first.
    #[schema(value_type = Vec<enum_schemas::Dimension>)]
    columns: Vec<&'static str>,
    /// Labels of the dimensions: those of your preferences, or the defaults.
    #[schema(example = json!({ "worksite": "Site", "machine": "Machine", "zone": "Zone" }))]
    labels: BTreeMap<&'static str, String>,
}

/// A measure of a pivot.
#[derive(Serialize, ToSchema)]
pub struct PivotMeasure {
    /// Name of the measure.
    #[schema(value_type = enum_schemas::Measure, example = "incursions")]
    name: &'static str,
    /// Unit of the measure: `count`, `ratio`, `seconds`, `hours` or `per_hour`.
    #[schema(example = "count")]
    unit: &'static str,
}

/// A row of a pivot.
#[derive(Serialize, ToSchema)]
pub struct PivotRowAnswer {
    /// Keys of the row, one for each dimension down to its level.
    keys: Vec<DimensionValue>,
    /// Level of the row, starting at 1. Its children follow it, one level deeper.
    #[schema(example = 1)]
    level: usize,
    /// For each column and measure: value, numerator, denominator and, if there is no value, the reason.
    #[schema(value_type = Vec<Vec<Vec<Value>>>, example = json!([[[0.5, 1.0, 2.0]]]))]
    cells: Vec<Vec<Value>>,
    /// The same for all columns together; null if totals were not requested.
    #[schema(value_type = Option<Vec<Vec<Value>>>, example = json!([[0.5, 1.0, 2.0]]))]
    total: Option<Vec<Value>>,
    /// Number of children left out by `limit`.
    #[schema(example = 0)]
    more: u64,
}

/// Totals of all rows of a pivot.
#[derive(Serialize, ToSchema)]
pub struct PivotTotals {
    /// Totals for each column and measure.
    #[schema(value_type = Vec<Vec<Vec<Value>>>, example = json!([[[0.5, 1.0, 2.0]]]))]
    cells: Vec<Vec<Value>>,
    /// Totals of all columns together, for each measure.
    #[schema(value_type = Vec<Vec<Value>>, example = json!([[0.5, 1.0, 2.0]]))]
    total: Vec<Value>,
}

fn shape(pivot: Pivot, request: &PivotRequest) -> PivotAnswer {
    let is_told = request.subtotals == Subtotals::Shown;
    let cell = |(measure, figure): (&Measure, &Figure)| {
        let (value, reason) = metric_value(*measure, *figure);
        let (above, below) = (figure.display_numerator(*measure), figure.display_denominator(*measure));
        match reason {
            None => json!([value, above, below]),
            Some(reason) => json!([value, above, below, reason]),
        }
    };
    let measured =
        |figures: &Vec<Figure>| request.measures.iter().zip(figures).map(cell).collect::<Vec<Value>>();
    let cells = |row: &PivotRow| row.cells.iter().map(measured).collect::<Vec<_>>();
    let parts = |keys: Vec<_>| keys.into_iter().map(DimensionValue::from).collect::<Vec<DimensionValue>>();
    let left_off: u64 = pivot.rows.iter().map(|row| row.more).sum();
    let more = pivot.totals.more + if is_told { 0 } else { left_off };
    PivotAnswer {
        dimensions: PivotDimensions {
            rows: request.rows.iter().map(|dimension| dimension.as_str()).collect(),
            columns: request.columns.iter().map(|dimension| dimension.as_str()).collect(),
            labels: pivot
                .dimension_labels
                .into_iter()
                .map(|(dimension, label)| (dimension.as_str(), label))
                .collect(),
        },
        measures: request
            .measures
            .iter()
            .map(|measure| PivotMeasure { name: measure.as_str(), unit: measure.unit().as_str() })
            .collect(),
        totals: is_told
            .then(|| PivotTotals { cells: cells(&pivot.totals), total: measured(&pivot.totals.total) }),
        rows: pivot
            .rows
            .into_iter()
            .filter(|row| is_told || row.level == request.rows.len())
            .map(|row| PivotRowAnswer {
                cells: cells(&row),
                total: is_told.then(|| measured(&row.total)),
                level: row.level,
                more: row.more,
                keys: parts(row.keys),
            })
            .collect(),
        column_keys: pivot.columns.into_iter().map(parts).collect(),
        more,
        time_zones: pivot.result.time_zones.iter().map(ToString::to_string).collect(),
        from: pivot.result.from.to_string(),
        to: pivot.result.to.to_string(),
        seq: pivot.result.seq,
    }
}
