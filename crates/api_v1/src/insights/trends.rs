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

/// NamedMetrics over time.
#[derive(Serialize, ToSchema)]
pub struct InsightTrends {
    /// In which steps.
    #[schema(value_type = enum_schemas::Interval, example = "day")]
    interval: &'static str,
    /// Each metric, of each part if it is split.
    series: Vec<TrendSeries>,
    /// How many parts were left off; those with the most incursions are told.
    #[schema(example = 0)]
    more: u64,
    #[serde(flatten)]
    of: AnswerScope,
}

/// A metric over time.
#[derive(Serialize, ToSchema)]
pub struct TrendSeries {
    /// What is measured.
    #[schema(value_type = enum_schemas::Measure, example = "incursions")]
    metric: &'static str,
    /// `count`, `ratio`, `seconds`, `hours` or `per_hour`.
    #[schema(example = "count")]
    unit: &'static str,
    /// Of which part, if it is split.
    part: Option<DimensionValue>,
    /// Step by step, without gaps.
    points: Vec<TrendPoint>,
}

/// A step of a series.
#[derive(Serialize, ToSchema)]
pub struct TrendPoint {
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

/// What is asked.
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

/// NamedMetrics over time, in steps of each site's own clock. Every step of the period is there; where there is no value, the reason is.
#[utoipa::path(
    get, path = "/api/v1/insights/trends", tag = "insights", operation_id = "get_insight_trends",
    security(("session" = [])),
    params(
        FactFilters,
        ("interval" = Option<enum_schemas::Interval>, Query, description = "In which steps; left out: `day`"),
        ("metric" = Option<Vec<enum_schemas::Measure>>, Query, description = "What is measured; left out: `incursions`"),
        ("split_by" = Option<String>, Query, example = "zone",
            description = "Into what it is split: `project`, `worksite`, `machine`, `machine_kind`, `pedestrian`, `operator`, \
                `zone`, `hour_of_day` or `day_of_week`. The 20 with the most incursions are told."),
    ),
    responses(
        (status = 200, description = "NamedMetrics over time", body = InsightTrends),
        problem::BadParams, problem::Unauthenticated, problem::ResultTooLarge, problem::Unavailable,
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
