//! How charts are answered as data.

use app::insights::{Chart, ChartPoint, ChartPosition, ChartSeries};
use serde::Serialize;
use utoipa::ToSchema;
use web::{AnswerScope, DimensionValue, enum_schemas};

/// What every chart says of itself.
#[derive(Serialize, ToSchema)]
pub struct ChartHead {
    /// Which chart.
    #[schema(example = "trends")]
    chart: &'static str,
    /// What it is called.
    #[schema(example = "Trend: incursions")]
    title: String,
    /// What it answers, and how that is computed.
    description: &'static str,
    /// What its values are counted in: `count`, `ratio`, `seconds`, `hours` or `per_hour`.
    #[schema(example = "count")]
    unit: &'static str,
    /// In which steps of time; null if it does not go by time.
    #[schema(value_type = Option<enum_schemas::Interval>, example = "day")]
    interval: Option<&'static str>,
    /// How many parts were left off.
    #[schema(example = 0)]
    more: u64,
    #[serde(flatten)]
    of: AnswerScope,
}

impl ChartHead {
    pub fn of(chart: &Chart) -> Self {
        Self {
            chart: chart.kind.as_str(),
            title: chart.title.clone(),
            description: chart.kind.description(),
            unit: chart.unit.as_str(),
            interval: chart.interval.map(domain::insights::Interval::as_str),
            more: chart.more,
            of: AnswerScope::from(&chart.result),
        }
    }
}

/// A chart over time.
#[derive(Serialize, ToSchema)]
pub struct TimeChart {
    #[serde(flatten)]
    head: ChartHead,
    /// What is shown.
    series: Vec<TimeSeries>,
}

impl From<Chart> for TimeChart {
    fn from(chart: Chart) -> Self {
        Self { head: ChartHead::of(&chart), series: time_series(chart.series) }
    }
}

/// Values over time.
#[derive(Serialize, ToSchema)]
pub struct TimeSeries {
    /// Tells series apart: a metric, or the id of a part.
    #[schema(example = "incursions")]
    key: String,
    /// What it is called.
    #[schema(example = "Incursions")]
    label: String,
    /// What is measured.
    #[schema(value_type = enum_schemas::Measure, example = "incursions")]
    metric: &'static str,
    /// What its values are counted in: `count`, `ratio`, `seconds`, `hours` or `per_hour`.
    #[schema(example = "count")]
    unit: &'static str,
    /// `measured`; of trends also `previous`, the period before, whose first point is held against the first of this one and
    /// so on, and `trend`, the line through the measured values.
    #[schema(example = "measured")]
    kind: &'static str,
    /// Step by step, without gaps.
    points: Vec<TimePoint>,
}

/// A step of a series.
#[derive(Serialize, ToSchema)]
pub struct TimePoint {
    /// When the step begins, on each site's own clock: a date, for hours with the time. A repeated hour is one step, a skipped
    /// one is none.
    #[schema(example = "2026-03-01")]
    at: String,
    /// What it comes to; null with a reason.
    #[schema(example = 12.0)]
    value: Option<f64>,
    /// Above the line.
    #[schema(example = 12.0)]
    numerator: Option<f64>,
    /// Below the line.
    denominator: Option<f64>,
    /// Why there is no value: `no_incursions`, `no_runtime` or `no_data`.
    reason: Option<&'static str>,
}

pub fn time_series(series: Vec<ChartSeries>) -> Vec<TimeSeries> {
    let shape = |series: ChartSeries| TimeSeries {
        key: series.key,
        label: series.label,
        metric: series.measure.as_str(),
        unit: series.measure.unit().as_str(),
        kind: series.kind.as_str(),
        points: series.points.into_iter().map(TimePoint::from).collect(),
    };
    series.into_iter().map(shape).collect()
}

impl From<ChartPoint> for TimePoint {
    fn from(point: ChartPoint) -> Self {
        let (value, reason) = point_value(&point);
        Self {
            value,
            reason,
            numerator: point.numerator,
            denominator: point.denominator,
            at: match point.position {
                ChartPosition::Bucket(_, at) => at,
                ChartPosition::Part(part) => part.label,
            },
        }
    }
}

/// A chart of parts.
#[derive(Serialize, ToSchema)]
pub struct CategoryChart {
    #[serde(flatten)]
    head: ChartHead,
    /// What is shown.
    series: Vec<CategorySeries>,
}

impl From<Chart> for CategoryChart {
    fn from(chart: Chart) -> Self {
        Self { head: ChartHead::of(&chart), series: category_series(chart.series) }
    }
}

/// Values of parts.
#[derive(Serialize, ToSchema)]
pub struct CategorySeries {
    /// Tells series apart.
    #[schema(example = "danger")]
    key: String,
    /// What it is called.
    #[schema(example = "Danger")]
    label: String,
    /// What is measured.
    #[schema(value_type = enum_schemas::Measure, example = "exposure")]
    metric: &'static str,
    /// What its values are counted in: `count`, `ratio`, `seconds`, `hours` or `per_hour`.
    #[schema(example = "seconds")]
    unit: &'static str,
    /// Part by part, the same in every series.
    points: Vec<CategoryPoint>,
}

/// A part of a series.
#[derive(Serialize, ToSchema)]
pub struct CategoryPoint {
    /// An id, a number or a word; null for what has none.
    #[schema(value_type = Option<web::DimensionValueId>)]
    key: web::DimensionValueId,
    /// What it is called.
    #[schema(example = "North quay")]
    label: String,
    /// What it comes to; null with a reason.
    #[schema(example = 310.0)]
    value: Option<f64>,
    /// Above the line.
    #[schema(example = 310.0)]
    numerator: Option<f64>,
    /// Below the line.
    denominator: Option<f64>,
    /// Why there is no value: `no_incursions`, `no_runtime` or `no_data`.
    reason: Option<&'static str>,
}

pub fn category_series(series: Vec<ChartSeries>) -> Vec<CategorySeries> {
    let shape = |series: ChartSeries| CategorySeries {
        key: series.key,
        label: series.label,
        metric: series.measure.as_str(),
        unit: series.measure.unit().as_str(),
        points: series.points.into_iter().map(CategoryPoint::from).collect(),
    };
    series.into_iter().map(shape).collect()
}

impl From<ChartPoint> for CategoryPoint {
    fn from(point: ChartPoint) -> Self {
        let (value, reason) = point_value(&point);
        let part = match point.position {
            ChartPosition::Bucket(_, at) => DimensionValue::from_text(at),
            ChartPosition::Part(part) => part.into(),
        };
        let (key, label) = part.into_id_and_label();
        Self { key, label, value, reason, numerator: point.numerator, denominator: point.denominator }
    }
}

pub fn point_value(point: &ChartPoint) -> (Option<f64>, Option<&'static str>) {
    (point.value.ok(), point.value.err().map(domain::insights::NoValueReason::as_str))
}
