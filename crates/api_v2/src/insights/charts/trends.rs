//! GET /api/v2/insights/charts/trends

use std::sync::Arc;

use app::insights::{Chart, ChartDetails, Compare, TrendLine, TrendsChartRequest};
use app::{App, Error};
use axum::extract::State;
use domain::access::ReadInsights;
use domain::insights::Measure;
use web::{
    Accept, Caller, ChartImageQuery, FactFilters, FromParams, Params, Query, Result, enum_schemas,
    json_api_errors,
};

use super::responses::TimeChart;
use super::{ChartParams, IntervalParams, render_chart};

/// Chart of metrics over time.
#[web::answer]
pub struct TrendsChart {
    #[serde(flatten)]
    chart: TimeChart,
    /// With `compare=previous`: the previous period.
    previous: Option<PreviousPeriod>,
    /// Trend line of each metric that has enough values.
    trends: Vec<TrendLineAnswer>,
}

/// The same days of earlier weeks: the period, moved back by the fewest whole weeks that are not shorter than it.
#[web::answer]
pub struct PreviousPeriod {
    /// Start of the previous period.
    #[schema(example = "2026-01-04")]
    from: String,
    /// End of the previous period, exclusive. If the current period has not ended, the local time of now, in the earlier week.
    #[schema(example = "2026-02-01")]
    to: String,
    /// By how many weeks it is earlier.
    #[schema(example = 4)]
    weeks: i64,
}

/// A trend line through the values of a metric.
#[web::answer]
pub struct TrendLineAnswer {
    /// Metric of the line.
    #[schema(value_type = enum_schemas::Measure, example = "incursions")]
    metric: &'static str,
    /// Method of estimation, always `theil_sen`.
    method: enum_schemas::TrendLineMethod,
    /// Slope: change of the metric from one step to the next.
    #[schema(example = -0.4)]
    slope: f64,
    /// Lower bound of the 95 % confidence interval of the slope; null with too few values.
    #[schema(example = -0.9)]
    slope_low: Option<f64>,
    /// Upper bound of the 95 % confidence interval of the slope; null with too few values.
    #[schema(example = 0.1)]
    slope_high: Option<f64>,
    /// Number of values that the line is estimated from: those of complete steps.
    #[schema(example = 28)]
    values: usize,
}

fn shape(chart: Chart) -> TrendsChart {
    let (previous, lines) = match &chart.details {
        ChartDetails::Trends { previous, lines } => (*previous, lines.clone()),
        _ => (None, Vec::new()),
    };
    let line = |line: TrendLine| TrendLineAnswer {
        metric: line.measure.as_str(),
        method: enum_schemas::TrendLineMethod,
        slope: line.trend.slope,
        slope_low: line.trend.slope_interval.map(|interval| interval.low),
        slope_high: line.trend.slope_interval.map(|interval| interval.high),
        values: line.trend.points,
    };
    TrendsChart {
        previous: previous.map(|previous| PreviousPeriod {
            from: previous.from.to_string(),
            to: previous.to.to_string(),
            weeks: previous.weeks,
        }),
        trends: lines.into_iter().map(line).collect(),
        chart: chart.into(),
    }
}

/// The parsed query parameters.
pub struct TrendsParams(TrendsChartRequest);

impl FromParams for TrendsParams {
    fn read(query: &mut Query) -> Result<Self, Error> {
        let IntervalParams(interval) = IntervalParams::read(query)?;
        let mut measures = query.many("metric", TrendsChartRequest::MAX_MEASURES, Measure::parse)?;
        if measures.is_empty() {
            measures = vec![Measure::Incursions];
        }
        let compare = query.one("compare", Compare::parse)?;
        Ok(Self(TrendsChartRequest { interval, measures, compare: compare.unwrap_or_default() }))
    }
}

/// Chart metrics over time with trend lines
///
/// The trend line is a Theil–Sen estimate, which is robust against outliers: its slope is the median of the slopes between all pairs of
/// values. Incomplete steps, such as today, are not used for it. Several metrics must have the same unit. The previous period can be
/// shown for comparison: the same days of earlier weeks.
#[web::operation(
    get, path = "/api/v2/insights/charts/trends", tag = "charts", operation_id = "get_trends_chart",
    params(
        ("interval" = Option<enum_schemas::Interval>, Query, description = "Length of one step. Default: `day`."),
        ("metric" = Option<Vec<enum_schemas::Measure>>, Query,
            description = "Metrics to chart, up to five of the same unit. Default: `incursions`."),
        ("compare" = Option<enum_schemas::ComparedPeriod>, Query, example = "previous",
            description = "With `previous`, also returns the period moved back by the fewest whole weeks that are not shorter than it."),
        ChartImageQuery, FactFilters,
    ),
    responses(
        (status = 200, description = "The chart.", content((TrendsChart = "application/json"), (String = "image/svg+xml"))),
        json_api_errors::BadParams, json_api_errors::NotAcceptable, json_api_errors::ResultTooLarge, json_api_errors::Unavailable,
    ),
)]
pub async fn get_trends_chart(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadInsights>,
    Params(params): Params<ChartParams<TrendsParams>>,
    accept: Accept,
) -> Result {
    let output_format = params.image.output_format(&accept)?;
    let chart = app.trends_chart(&caller, &params.filter, &params.specific.0).await?;
    render_chart(&app, &caller, chart, output_format, shape).await
}
