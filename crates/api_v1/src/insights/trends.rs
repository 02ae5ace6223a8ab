//! GET /api/v1/insights/trends

use std::sync::Arc;

use app::insights::{Trends, TrendsRequest};
use app::{App, Error};
use axum::extract::State;
use domain::access::ReadInsights;
use domain::insights::{IncursionFilter, Interval, Measure};
use serde::Serialize;
use utoipa::ToSchema;
use web::{
    Caller, DimensionValue, FactFilters, FromParams, Params, Query, Result, enum_schemas, metric_value,
    problem,
};

use super::AnswerScope;

/// Metrics over time.
#[derive(Serialize, ToSchema)]
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
#[derive(Serialize, ToSchema)]
pub struct TrendSeries {
    /// Name of the metric.
    #[schema(value_type = enum_schemas::Measure, example = "incursions")]
    metric: &'static str,
    /// Unit of the values: `count`, `ratio`, `seconds`, `hours` or `per_hour`.
    #[schema(example = "count")]
    unit: &'static str,
    /// Group of the series; null if the trend is not split.
    part: Option<DimensionValue>,
    /// One point for each step of the period, without gaps.
    points: Vec<TrendPoint>,
}

/// One step of a series.
#[derive(Serialize, ToSchema)]
pub struct TrendPoint {
    /// Start of the step in the time zone of each worksite: a date, for hours with the time. An hour that occurs twice when clocks change
    /// is one step; an hour that is skipped is none.
    #[schema(example = "2026-03-01")]
    at: String,
    /// Value of the metric; null with a `reason`.
    #[schema(example = 12.0)]
    value: Option<f64>,
    /// Numerator of the metric.
    #[schema(example = 12.0)]
    numerator: Option<f64>,
    /// Denominator of the metric; null if the metric has none.
    denominator: Option<f64>,
    /// Reason why there is no value: `no_incursions`, `no_runtime` or `no_data`.
    reason: Option<&'static str>,
}

pub fn shape(trends: Trends) -> InsightTrends {
    let series = trends.series.into_iter().map(|series| {
        let measure = series.measure;
        let points = series.points.into_iter().map(|point| {
            let (value, reason) = metric_value(measure, point.figure);
            TrendPoint {
                at: point.at,
                value,
                numerator: point.figure.display_numerator(measure),
                denominator: point.figure.display_denominator(measure),
                reason,
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

pub struct TrendsParams(Box<IncursionFilter>, TrendsRequest);

impl FromParams for TrendsParams {
    fn read(query: &mut Query) -> Result<Self, Error> {
        let interval = query.one("interval", Interval::parse)?.unwrap_or(Interval::Day);
        let mut measures = query.many("metric", Measure::ALL.len(), Measure::parse)?;
        if measures.is_empty() {
            measures = vec![Measure::Incursions];
        }
        let split_by = query.one("split_by", super::parse_split_dimension)?;
        let request = TrendsRequest { interval, measures, split_by };
        Ok(Self(Box::new(IncursionFilter::read(query)?), request))
    }
}

/// Get trends of incursions
///
/// Returns metrics over time, in steps in the time zone of each worksite. Every step of the period is listed; a step without a value has
/// a reason.
#[web::operation(
    get, path = "/api/v1/insights/trends", tag = "insights", operation_id = "get_insight_trends",
    params(
        FactFilters,
        ("interval" = Option<enum_schemas::Interval>, Query, description = "Length of a step; the default is `day`"),
        ("metric" = Option<Vec<enum_schemas::Measure>>, Query, description = "Metrics to return; the default is `incursions`"),
        ("split_by" = Option<String>, Query, example = "zone",
            description = "Dimension to split by: `project`, `worksite`, `machine`, `machine_kind`, `pedestrian`, `operator`, \
                `zone`, `hour_of_day` or `day_of_week`. The 20 groups with the most incursions are returned."),
    ),
    responses(
        (status = 200, description = "Metrics over time", body = InsightTrends),
        problem::BadParams, problem::ResultTooLarge, problem::Unavailable,
    ),
)]
pub async fn get_insight_trends(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadInsights>,
    Params(TrendsParams(filter, request)): Params<TrendsParams>,
) -> Result {
    let trends = app.insight_trends(&caller, &filter, &request).await?;
    Ok(web::json_response(&shape(trends)))
}
