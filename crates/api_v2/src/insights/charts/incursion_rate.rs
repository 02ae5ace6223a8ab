//! GET /api/v2/insights/charts/incursion_rate

use std::sync::Arc;

use app::insights::{BandPoint, Chart, ChartDetails};
use app::{App, Error};
use axum::extract::State;
use domain::access::ReadInsights;
use domain::insights::{Dimension, Interval};
use web::{
    Accept, Caller, ChartImageQuery, FactFilters, FromParams, Params, Query, Result, enum_schemas,
    json_api_errors,
};

use super::responses::TimeChart;
use super::{ChartParams, IntervalParams, parse_one_of, render_chart};

/// Chart of incursions per runtime hour.
#[web::answer]
pub struct IncursionRateChart {
    #[serde(flatten)]
    chart: TimeChart,
    /// With `split_by`: the groups without a series of their own; null if all have one.
    rest: Option<RateRest>,
}

/// The groups that have no series of their own.
#[web::answer]
pub struct RateRest {
    /// Number of these groups.
    #[schema(example = 14)]
    members: u64,
    /// Lowest and highest rate among them, for each step.
    points: Vec<RateRange>,
}

/// The range of rates in one step.
#[web::answer]
pub struct RateRange {
    /// Start of the step, as in the series.
    #[schema(example = "2026-03-01")]
    at: String,
    /// Lowest rate; null if no group has one.
    #[schema(example = 0.2)]
    #[serde(serialize_with = "web::serialize_number")]
    low: Option<f64>,
    /// Highest rate; null if no group has one.
    #[schema(example = 1.7)]
    #[serde(serialize_with = "web::serialize_number")]
    high: Option<f64>,
    /// Whether the step is incomplete, because the period cuts it or it has not ended.
    #[schema(example = false)]
    partial: bool,
}

fn shape(mut chart: Chart) -> IncursionRateChart {
    let range = |point: BandPoint| RateRange {
        at: point.at,
        low: point.range.map(|range| range.0),
        high: point.range.map(|range| range.1),
        partial: point.partial,
    };
    let rest = match std::mem::replace(&mut chart.details, ChartDetails::None) {
        ChartDetails::Rest(rest) => {
            Some(RateRest { members: rest.members, points: rest.points.into_iter().map(range).collect() })
        }
        _ => None,
    };
    IncursionRateChart { chart: chart.into(), rest }
}

/// The parsed interval and split.
pub struct IncursionRateParams(Interval, Option<Dimension>);

impl FromParams for IncursionRateParams {
    fn read(query: &mut Query) -> Result<Self, Error> {
        let IntervalParams(interval) = IntervalParams::read(query)?;
        Ok(Self(interval, query.one("split_by", parse_one_of(&Dimension::RATE_SPLITS))?))
    }
}

/// Chart incursions per hour of runtime
///
/// Divides incursions by the hours that the machines concerned ran, for each step. Without runtime there is no rate. Filters on zone,
/// acknowledgement, duration and review apply to the numerator only; with a filter on a pedestrian or a tag there is no runtime. If the
/// rate is split into many groups, the ten with the most runtime have a series, and `rest` is the range of the others.
#[web::operation(
    get, path = "/api/v2/insights/charts/incursion_rate", tag = "charts", operation_id = "get_incursion_rate_chart",
    params(
        ("interval" = Option<enum_schemas::Interval>, Query, description = "Length of one step. Default: `day`."),
        ("split_by" = Option<enum_schemas::RateDimension>, Query, example = "worksite",
            description = "Dimension to split by. The ten with the most runtime have a series."),
        ChartImageQuery, FactFilters,
    ),
    responses(
        (status = 200, description = "The chart.", content((IncursionRateChart = "application/json"), (String = "image/svg+xml"))),
        json_api_errors::BadParams, json_api_errors::NotAcceptable, json_api_errors::ResultTooLarge, json_api_errors::Unavailable,
    ),
)]
pub async fn get_incursion_rate_chart(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadInsights>,
    Params(params): Params<ChartParams<IncursionRateParams>>,
    accept: Accept,
) -> Result {
    let output_format = params.image.output_format(&accept)?;
    let IncursionRateParams(interval, split_by) = params.specific;
    let chart = app.incursion_rate_chart(&caller, &params.filter, interval, split_by).await?;
    render_chart(&app, &caller, chart, output_format, shape).await
}
