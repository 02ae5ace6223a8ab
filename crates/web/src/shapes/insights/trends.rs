//! Metrics of incursions over time, and how they are requested.

use app::Error;
use app::insights::{Trends, TrendsRequest};
use domain::insights::{IncursionFilter, Interval, Measure, NoValueReason};

use crate::IntoParams;
use crate::request::params::{FromParams, Query};
use crate::response::enum_schemas;
use crate::shapes::figures::{AnswerScope, DimensionValue, serialize_number};
use crate::shapes::insights::parse_split_dimension;

/// The query parameters of trends besides the filters, for OpenAPI.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "describes the parameters for OpenAPI")]
pub struct TrendsQuery {
    /// Length of a step; the default is `day`.
    #[param(value_type = Option<enum_schemas::Interval>)]
    interval: Option<String>,
    /// Metrics to return; the default is `incursions`.
    #[param(value_type = Option<Vec<enum_schemas::Measure>>)]
    metric: Option<Vec<String>>,
    /// Dimension to split by. The 20 groups with the most incursions are returned.
    #[param(value_type = Option<enum_schemas::BreakdownDimension>, example = "zone")]
    split_by: Option<String>,
}

/// Metrics over time.
#[macros::answer]
pub struct InsightTrends {
    /// Length of a step.
    #[schema(value_type = enum_schemas::Interval, example = "day")]
    interval: &'static str,
    /// One series for each metric, and for each group if the trend is split.
    series: Vec<TrendSeries>,
    /// Number of groups that were left out; the groups with the most incursions are returned.
    #[schema(example = 0)]
    more: u64,
    #[serde(flatten)]
    of: AnswerScope,
}

/// A metric over time.
#[macros::answer]
pub struct TrendSeries {
    /// Name of the metric.
    #[schema(value_type = enum_schemas::Measure, example = "incursions")]
    metric: &'static str,
    /// Unit of the values.
    #[schema(value_type = enum_schemas::MeasureUnit, example = "count")]
    unit: &'static str,
    /// Group of the series; null if the trend is not split.
    part: Option<DimensionValue>,
    /// One point for each step of the period, without gaps.
    points: Vec<TrendPoint>,
}

/// One step of a series.
#[macros::answer]
pub struct TrendPoint {
    /// Start of the step in the time zone of each worksite: a date, for hours with the time. An hour that occurs twice when clocks change
    /// is one step; an hour that is skipped is none.
    #[schema(example = "2026-03-01")]
    at: String,
    /// Value of the metric; null with a `reason`.
    #[schema(example = 12)]
    #[serde(serialize_with = "serialize_number")]
    value: Option<f64>,
    /// Numerator of the metric.
    #[schema(example = 12)]
    #[serde(serialize_with = "serialize_number")]
    numerator: Option<f64>,
    /// Denominator of the metric; null if the metric has none.
    #[serde(serialize_with = "serialize_number")]
    denominator: Option<f64>,
    /// Reason why there is no value.
    #[schema(value_type = Option<enum_schemas::NoValueReason>)]
    reason: Option<&'static str>,
    /// Whether the step is incomplete, because the period cuts it or it has not ended.
    #[schema(example = false)]
    partial: bool,
}

pub fn shape_trends(trends: Trends) -> InsightTrends {
    let series = trends.series.into_iter().map(|series| {
        let measure = series.measure;
        let points = series.points.into_iter().map(|point| {
            let value = point.value(measure);
            TrendPoint {
                at: point.at,
                value: value.ok(),
                numerator: point.figure.and_then(|figure| figure.display_numerator(measure)),
                denominator: point.figure.and_then(|figure| figure.display_denominator(measure)),
                reason: value.err().map(NoValueReason::as_str),
                partial: point.partial,
            }
        });
        TrendSeries {
            metric: measure.as_str(),
            unit: measure.unit().as_str(),
            points: points.collect(),
            part: series.part.map(DimensionValue::from),
        }
    });
    InsightTrends {
        interval: trends.interval.as_str(),
        series: series.collect(),
        more: trends.more,
        of: AnswerScope::from(&trends.result),
    }
}

/// The parsed query parameters of trends.
pub struct TrendsParams(pub Box<IncursionFilter>, pub TrendsRequest);

impl FromParams for TrendsParams {
    fn read(query: &mut Query) -> Result<Self, Error> {
        let interval = query.one("interval", Interval::parse)?.unwrap_or(Interval::Day);
        let mut measures = query.many("metric", Measure::ALL.len(), Measure::parse)?;
        if measures.is_empty() {
            measures = vec![Measure::Incursions];
        }
        let split_by = query.one("split_by", parse_split_dimension)?;
        let request = TrendsRequest { interval, measures, split_by };
        Ok(Self(Box::new(IncursionFilter::read(query)?), request))
    }
}
