//! /api/v2/advanced_insights/pivot: the response of a pivot.

pub mod compute;
pub mod run_view;

use std::collections::BTreeMap;

use app::Error;
use app::insights::{Labelled, LabelledId, Pivot, PivotRequest, PivotRow, QueryResult, Subtotals};
use domain::insights::{Dimension, Figure, Interval, Measure, PartialBuckets};
use serde::Serialize;
use serde_json::Value;
use web::{CellFormat, DimensionValue, FromParams, Query, ToSchema, enum_schemas, json_number, metric_value};

pub use web::{NewPivot, PivotFields};

/// A computed pivot.
#[web::answer]
pub struct PivotAnswer {
    /// Dimensions of the rows and columns.
    dimensions: PivotDimensions,
    /// Measures in the order of each cell.
    measures: Vec<PivotMeasure>,
    /// Keys of each column; without column dimensions, one column with no keys.
    column_keys: Vec<Vec<PivotKey>>,
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
#[web::answer]
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
#[web::answer]
pub struct PivotMeasure {
    /// Name of the measure.
    #[schema(value_type = enum_schemas::Measure, example = "incursions")]
    name: &'static str,
    /// Unit of the measure.
    #[schema(value_type = enum_schemas::MeasureUnit, example = "count")]
    unit: &'static str,
}

/// A key of a row or column: the value of one dimension.
#[web::answer]
pub struct PivotKey {
    #[serde(flatten)]
    value: DimensionValue,
    /// True for an hour, day, week or month that is incomplete, because the period cuts it or it has not ended; otherwise left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = true)]
    partial: Option<bool>,
}

/// A measure of a cell; the parameter `cells` chooses the form.
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
pub enum PivotCell {
    /// Value, numerator, denominator and, if there is no value, the reason.
    #[schema(example = json!([0.5, 1, 2]))]
    Compact(Vec<Value>),
    /// With `cells=objects`.
    Object(PivotCellObject),
}

/// A measure of a cell as an object.
#[web::answer]
pub struct PivotCellObject {
    /// Name of the measure.
    #[schema(value_type = enum_schemas::Measure, example = "acknowledgement_rate")]
    measure: &'static str,
    /// Value of the measure; null with a `reason`.
    #[schema(example = 0.5)]
    #[serde(serialize_with = "web::serialize_number")]
    value: Option<f64>,
    /// Numerator of the value.
    #[schema(example = 1)]
    #[serde(serialize_with = "web::serialize_number")]
    numerator: Option<f64>,
    /// Denominator of the value; null if the measure has none.
    #[schema(example = 2)]
    #[serde(serialize_with = "web::serialize_number")]
    denominator: Option<f64>,
    /// Reason why there is no value.
    #[schema(value_type = Option<enum_schemas::NoValueReason>)]
    reason: Option<&'static str>,
}

impl PivotCell {
    fn new(measure: Measure, figure: Figure, format: CellFormat) -> Self {
        let (value, reason) = metric_value(measure, figure);
        let (numerator, denominator) =
            (figure.display_numerator(measure), figure.display_denominator(measure));
        match format {
            CellFormat::Compact => {
                let mut members = [value, numerator, denominator].map(json_number).to_vec();
                members.extend(reason.map(Value::from));
                Self::Compact(members)
            }
            CellFormat::Objects => Self::Object(PivotCellObject {
                measure: measure.as_str(),
                value,
                numerator,
                denominator,
                reason,
            }),
        }
    }
}

/// A row of a pivot.
#[web::answer]
pub struct PivotRowAnswer {
    /// Keys of the row, one for each dimension down to its level.
    keys: Vec<PivotKey>,
    /// Level of the row, starting at 1. Its children follow it, one level deeper.
    #[schema(example = 1)]
    level: usize,
    /// For each column, one for each measure.
    #[schema(example = json!([[[0.5, 1, 2]]]))]
    cells: Vec<Vec<PivotCell>>,
    /// The same for all columns together; null if totals were not requested.
    #[schema(example = json!([[0.5, 1, 2]]))]
    total: Option<Vec<PivotCell>>,
    /// Number of children left out by `limit`.
    #[schema(example = 0)]
    more: u64,
}

/// Totals of all rows of a pivot.
#[web::answer]
pub struct PivotTotals {
    /// Totals for each column and measure.
    #[schema(example = json!([[[0.5, 1, 2]]]))]
    cells: Vec<Vec<PivotCell>>,
    /// Totals of all columns together, for each measure.
    #[schema(example = json!([[0.5, 1, 2]]))]
    total: Vec<PivotCell>,
}

/// The form of the cells, as a query parameter.
pub struct CellParams(CellFormat);

impl FromParams for CellParams {
    fn read(query: &mut Query) -> Result<Self, Error> {
        Ok(Self(query.one("cells", CellFormat::parse)?.unwrap_or_default()))
    }
}

/// Turns the keys of some dimensions into their representation: for each dimension of time, its incomplete steps.
struct KeyShapes(Vec<Option<(Interval, PartialBuckets)>>);

impl KeyShapes {
    fn new(dimensions: &[Dimension], result: &QueryResult) -> Self {
        let steps = |dimension: &Dimension| {
            let interval = Interval::of_dimension(*dimension)?;
            Some((interval, result.partial_buckets(interval)))
        };
        Self(dimensions.iter().map(steps).collect())
    }

    fn shape(&self, keys: Vec<Labelled>) -> Vec<PivotKey> {
        let shape = |(key, steps): (Labelled, &Option<(Interval, PartialBuckets)>)| {
            let is_partial = match (steps, &key.id) {
                (Some((interval, partial)), LabelledId::Word(at)) => {
                    interval.parse_label(at).is_some_and(|step| partial.contains(step))
                }
                _ => false,
            };
            PivotKey { value: key.into(), partial: is_partial.then_some(true) }
        };
        keys.into_iter().zip(&self.0).map(shape).collect()
    }
}

fn shape(pivot: Pivot, request: &PivotRequest, format: CellFormat) -> PivotAnswer {
    let is_told = request.subtotals == Subtotals::Shown;
    let cell = |(measure, figure): (&Measure, &Figure)| PivotCell::new(*measure, *figure, format);
    let measured =
        |figures: &Vec<Figure>| request.measures.iter().zip(figures).map(cell).collect::<Vec<PivotCell>>();
    let cells = |row: &PivotRow| row.cells.iter().map(measured).collect::<Vec<_>>();
    let row_keys = KeyShapes::new(&request.rows, &pivot.result);
    let column_keys = KeyShapes::new(&request.columns, &pivot.result);
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
                keys: row_keys.shape(row.keys),
            })
            .collect(),
        column_keys: pivot.columns.into_iter().map(|keys| column_keys.shape(keys)).collect(),
        more,
        time_zones: pivot.result.time_zones.iter().map(ToString::to_string).collect(),
        from: pivot.result.from.to_string(),
        to: pivot.result.to.to_string(),
        seq: pivot.result.seq,
    }
}
