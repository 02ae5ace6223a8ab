//! The JSON responses of charts.

use app::insights::{Chart, ChartPoint, ChartPosition, ChartSeries};
use web::{AnswerScope, DimensionValue, enum_schemas};

/// Properties that every chart has.
#[web::answer]
pub struct ChartHead {
    /// Key of the chart.
    #[schema(value_type = enum_schemas::ChartKind, example = "trends")]
    chart: &'static str,
    /// Title of the chart.
    #[schema(example = "Trend: incursions")]
    title: String,
    /// Description of the chart and how it is computed.
    description: &'static str,
    /// Unit of the values.
    #[schema(value_type = enum_schemas::MeasureUnit, example = "count")]
    unit: &'static str,
    /// Length of one step; null if the chart is not over time.
    #[schema(value_type = Option<enum_schemas::Interval>, example = "day")]
    interval: Option<&'static str>,
    /// Number of groups left out.
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
#[web::answer]
pub struct TimeChart {
    #[serde(flatten)]
    head: ChartHead,
    /// Series of the chart.
    series: Vec<TimeSeries>,
}

impl From<Chart> for TimeChart {
    fn from(chart: Chart) -> Self {
        Self { head: ChartHead::of(&chart), series: time_series(chart.series) }
    }
}

/// A series of values over time.
#[web::answer]
pub struct TimeSeries {
    /// Key of the series: a metric, or the id of a group.
    #[schema(example = "incursions")]
    key: String,
    /// Label of the series.
    #[schema(example = "Incursions")]
    label: String,
    /// Measure of the series.
    #[schema(value_type = enum_schemas::Measure, example = "incursions")]
    metric: &'static str,
    /// Unit of the values.
    #[schema(value_type = enum_schemas::MeasureUnit, example = "count")]
    unit: &'static str,
    /// Role of the series: `measured`; in trends also `previous`, the previous period, whose points are a whole number of weeks earlier,
    /// and `trend`, the line through the measured values.
    #[schema(value_type = enum_schemas::SeriesKind, example = "measured")]
    kind: &'static str,
    /// Points in order of time, without gaps.
    points: Vec<TimePoint>,
}

/// The value of one step.
#[web::answer]
pub struct TimePoint {
    /// Start of the step in the local time of each worksite: a date, with the time if steps are hours. When clocks change, a repeated
    /// hour is one step and a skipped hour is none.
    #[schema(example = "2026-03-01")]
    at: String,
    /// Value of the step; null with a reason.
    #[schema(example = 12)]
    #[serde(serialize_with = "web::serialize_number")]
    value: Option<f64>,
    /// Numerator of the value.
    #[schema(example = 12)]
    #[serde(serialize_with = "web::serialize_number")]
    numerator: Option<f64>,
    /// Denominator of the value, if it has one.
    #[serde(serialize_with = "web::serialize_number")]
    denominator: Option<f64>,
    /// Reason why there is no value.
    #[schema(value_type = Option<enum_schemas::NoValueReason>)]
    reason: Option<&'static str>,
    /// Whether the step is incomplete, because the period cuts it or it has not ended.
    #[schema(example = false)]
    partial: bool,
}

impl From<ChartSeries> for TimeSeries {
    fn from(series: ChartSeries) -> Self {
        Self {
            key: series.key,
            label: series.label,
            metric: series.measure.as_str(),
            unit: series.measure.unit().as_str(),
            kind: series.kind.as_str(),
            points: series.points.into_iter().map(TimePoint::from).collect(),
        }
    }
}

pub fn time_series(series: Vec<ChartSeries>) -> Vec<TimeSeries> {
    series.into_iter().map(TimeSeries::from).collect()
}

impl From<ChartPoint> for TimePoint {
    fn from(point: ChartPoint) -> Self {
        let (value, reason) = point_value(&point);
        Self {
            value,
            reason,
            numerator: point.numerator,
            denominator: point.denominator,
            partial: point.partial,
            at: match point.position {
                ChartPosition::Bucket(_, at) => at,
                ChartPosition::Part(part) => part.label,
            },
        }
    }
}

/// A chart by category.
#[web::answer]
pub struct CategoryChart {
    #[serde(flatten)]
    head: ChartHead,
    /// Series of the chart.
    series: Vec<CategorySeries>,
}

impl From<Chart> for CategoryChart {
    fn from(chart: Chart) -> Self {
        Self { head: ChartHead::of(&chart), series: category_series(chart.series) }
    }
}

/// A series of values by category.
#[web::answer]
pub struct CategorySeries {
    /// Key of the series.
    #[schema(example = "danger")]
    key: String,
    /// Label of the series.
    #[schema(example = "Danger")]
    label: String,
    /// Measure of the series.
    #[schema(value_type = enum_schemas::Measure, example = "exposure")]
    metric: &'static str,
    /// Unit of the values.
    #[schema(value_type = enum_schemas::MeasureUnit, example = "seconds")]
    unit: &'static str,
    /// Points, one for each category; the categories are the same in every series.
    points: Vec<CategoryPoint>,
}

/// The value of one category.
#[web::answer]
pub struct CategoryPoint {
    /// Key of the category: an id, a number or a word; null for records that have none.
    key: web::DimensionValueId,
    /// Label of the category.
    #[schema(example = "North quay")]
    label: String,
    /// Value of the category; null with a reason.
    #[schema(example = 310)]
    #[serde(serialize_with = "web::serialize_number")]
    value: Option<f64>,
    /// Numerator of the value.
    #[schema(example = 310)]
    #[serde(serialize_with = "web::serialize_number")]
    numerator: Option<f64>,
    /// Denominator of the value, if it has one.
    #[serde(serialize_with = "web::serialize_number")]
    denominator: Option<f64>,
    /// Reason why there is no value.
    #[schema(value_type = Option<enum_schemas::NoValueReason>)]
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
