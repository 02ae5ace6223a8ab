//! /api/v2/advanced_insights/pivot: what is asked, and what is answered.

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
    DimensionValue, Fields, FilterFields, FromFields, Sorting, boolean, enum_schemas, filters_or_default,
    integer_within, list_in_given_order, metric_value, text,
};

/// What is asked.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body for OpenAPI; it is read field by field")]
pub struct NewPivot {
    /// What rows are made of, the outermost first: up to four dimensions.
    #[schema(value_type = Option<Vec<enum_schemas::Dimension>>, max_items = 4, example = json!(["worksite", "machine"]))]
    rows: Option<Vec<String>>,
    /// What columns are made of: up to two dimensions.
    #[schema(value_type = Option<Vec<enum_schemas::Dimension>>, max_items = 2, example = json!(["zone"]))]
    columns: Option<Vec<String>>,
    /// What is measured.
    #[schema(value_type = Vec<enum_schemas::Measure>, min_items = 1, max_items = 14,
        example = json!(["incursions", "acknowledgement_rate"]))]
    measures: Vec<String>,
    /// Which facts.
    filters: Option<FilterFields>,
    /// By which of the measures rows of the same parent are sorted; with `-` before it the greatest come first. Left out:
    /// by what they are about.
    #[schema(example = "-incursions")]
    sort: Option<String>,
    /// How many rows of the same parent at most.
    #[schema(minimum = 1, maximum = 10000, default = 1000, example = 100)]
    limit: Option<i64>,
    /// Whether subtotals and totals are told. `false` leaves the innermost rows and their cells; without rows the totals are all
    /// there is, and stay.
    #[schema(default = true, example = true)]
    totals: Option<bool>,
}

/// A pivot that was read.
pub struct PivotFields(pub Box<IncursionFilter>, pub PivotRequest);

/// How many rows of the same parent are told unless it is said.
const USUAL_LIMIT: usize = 1_000;

impl FromFields for PivotFields {
    fn read(fields: &mut Fields) -> Option<Self> {
        let dimension = |value: &Value| text(Dimension::parse)(value);
        let rows = list_in_given_order(fields, "rows", PivotRequest::MAX_ROW_DIMENSIONS, dimension);
        let columns = list_in_given_order(fields, "columns", PivotRequest::MAX_COLUMN_DIMENSIONS, dimension);
        let measures =
            list_in_given_order(fields, "measures", Measure::ALL.len(), |value| text(Measure::parse)(value));
        let filter = filters_or_default(fields, "filters");
        let sort = fields.optional("sort", text(Sorting::parse));
        let limit = fields.optional("limit", integer_within(1..=PivotRequest::MAX_LIMIT as i64));
        let totals = fields.optional("totals", boolean);
        let measures = measures?;
        if measures.is_empty() {
            return fields.add_fault("measures", Invalid::new("required", "must name one measure at least"));
        }
        let order = match sort? {
            None => GroupOrder::ByKeys,
            Some(sort) => match measures.iter().position(|one| *one == sort.measure) {
                Some(place) => sort.order_at(place),
                None => {
                    return fields.add_fault("sort", Invalid::new("not_measured", "must be one of measures"));
                }
            },
        };
        let limit = limit?.and_then(|limit| usize::try_from(limit).ok()).unwrap_or(USUAL_LIMIT);
        let rows = rows?;
        let sums = match totals? {
            Some(false) if !rows.is_empty() => Subtotals::Hidden,
            _ => Subtotals::Shown,
        };
        let request = PivotRequest { rows, columns: columns?, measures, order, limit, subtotals: sums };
        Some(Self(Box::new(filter?), request))
    }
}

/// A pivot.
#[derive(Serialize, ToSchema)]
pub struct PivotAnswer {
    /// What rows and columns are made of.
    dimensions: PivotDimensions,
    /// What is measured, in the order of cells.
    measures: Vec<PivotMeasure>,
    /// What each column is about; one about everything if columns are made of nothing.
    column_keys: Vec<Vec<DimensionValue>>,
    /// The rows, each followed by its children.
    rows: Vec<PivotRowAnswer>,
    /// All rows together, those that were left off included; null without totals.
    totals: Option<PivotTotals>,
    /// How many outermost rows were left off; without totals, how many of any level.
    #[schema(example = 0)]
    more: u64,
    /// By which clocks days and hours are told: those of the worksites it is about.
    #[schema(example = json!(["Europe/Berlin"]))]
    time_zones: Vec<String>,
    /// Where the period begins: an instant, or a day on each site's own clock.
    #[schema(example = "2026-02-01")]
    from: String,
    /// Where it ends, exclusive.
    #[schema(example = "2026-03-01")]
    to: String,
    /// The brand's last change that the answer knows of.
    #[schema(example = 1207)]
    seq: i64,
}

/// What rows and columns are made of.
#[derive(Serialize, ToSchema)]
pub struct PivotDimensions {
    /// Rows, the outermost first.
    #[schema(value_type = Vec<enum_schemas::Dimension>)]
    rows: Vec<&'static str>,
    /// Columns.
    #[schema(value_type = Vec<enum_schemas::Dimension>)]
    columns: Vec<&'static str>,
    /// What you call them: the labels of your preferences, or their usual names.
    #[schema(example = json!({ "worksite": "Site", "machine": "Machine", "zone": "Zone" }))]
    labels: BTreeMap<&'static str, String>,
}

/// A measure.
#[derive(Serialize, ToSchema)]
pub struct PivotMeasure {
    /// Its name.
    #[schema(value_type = enum_schemas::Measure, example = "incursions")]
    name: &'static str,
    /// `count`, `ratio`, `seconds`, `hours` or `per_hour`.
    #[schema(example = "count")]
    unit: &'static str,
}

/// A row of a pivot.
#[derive(Serialize, ToSchema)]
pub struct PivotRowAnswer {
    /// What it is about, one for each dimension down to its level.
    keys: Vec<DimensionValue>,
    /// How deep it is, from 1; its children follow it and are one deeper.
    #[schema(example = 1)]
    level: usize,
    /// For each column, for each measure: value, numerator, denominator, and if there is no value, why.
    #[schema(value_type = Vec<Vec<Vec<Value>>>, example = json!([[[0.5, 1.0, 2.0]]]))]
    cells: Vec<Vec<Value>>,
    /// The same of all columns together; null without totals.
    #[schema(value_type = Option<Vec<Vec<Value>>>, example = json!([[0.5, 1.0, 2.0]]))]
    total: Option<Vec<Value>>,
    /// How many of its children were left off.
    #[schema(example = 0)]
    more: u64,
}

/// All rows of a pivot together.
#[derive(Serialize, ToSchema)]
pub struct PivotTotals {
    /// For each column, for each measure.
    #[schema(value_type = Vec<Vec<Vec<Value>>>, example = json!([[[0.5, 1.0, 2.0]]]))]
    cells: Vec<Vec<Value>>,
    /// The same of all columns together.
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
