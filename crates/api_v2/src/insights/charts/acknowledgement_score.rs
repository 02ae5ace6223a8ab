//! GET /api/v2/insights/charts/acknowledgement_score

use std::sync::Arc;

use app::App;
use app::insights::{Chart, ChartPoint, ChartSeries};
use axum::extract::State;
use domain::access::ReadInsights;
use web::{Accept, Caller, ChartImageQuery, FactFilters, Params, Result, enum_schemas, json_api_errors};

use super::responses::{ChartHead, TimePoint};
use super::{ChartParams, IntervalParams, render_chart};

/// Chart of the acknowledgement rate over time, with confidence intervals.
#[web::answer]
pub struct ScoreChart {
    #[serde(flatten)]
    head: ChartHead,
    /// The only series.
    series: Vec<ScoreSeries>,
}

/// A series of acknowledgement rates.
#[web::answer]
pub struct ScoreSeries {
    /// Always `acknowledgement_rate`.
    #[schema(value_type = enum_schemas::ScoreSeriesKey, example = "acknowledgement_rate")]
    key: String,
    /// Label of the series.
    #[schema(example = "Acknowledgement rate")]
    label: String,
    /// Measure of the series.
    #[schema(value_type = enum_schemas::Measure, example = "acknowledgement_rate")]
    metric: &'static str,
    /// Always `ratio`.
    #[schema(value_type = enum_schemas::MeasureUnit, example = "ratio")]
    unit: &'static str,
    /// Points in order of time, without gaps.
    points: Vec<ScorePoint>,
}

/// The acknowledgement rate of one step.
#[web::answer]
pub struct ScorePoint {
    #[serde(flatten)]
    point: TimePoint,
    /// Lower bound of the 95 % confidence interval (Wilson score interval); null without incursions.
    #[schema(example = 0.62)]
    low: Option<f64>,
    /// Upper bound of the 95 % confidence interval; null without incursions.
    #[schema(example = 0.91)]
    high: Option<f64>,
}

fn shape(chart: Chart) -> ScoreChart {
    let point = |point: ChartPoint| ScorePoint {
        low: point.range.map(|range| range.0),
        high: point.range.map(|range| range.1),
        point: point.into(),
    };
    let series = |series: ChartSeries| ScoreSeries {
        key: series.key,
        label: series.label,
        metric: series.measure.as_str(),
        unit: series.measure.unit().as_str(),
        points: series.points.into_iter().map(point).collect(),
    };
    ScoreChart { head: ChartHead::of(&chart), series: chart.series.into_iter().map(series).collect() }
}

/// Chart the acknowledgement score with confidence intervals
///
/// The score is the number of acknowledged incursions divided by all incursions, for each step in the local time of each worksite. A
/// step without incursions has no score and the reason `no_incursions`; a step in which none was acknowledged has the score 0. `low`
/// and `high` are the Wilson score interval, which is wide where there were few incursions: one of two is weaker evidence than fifty of
/// a hundred.
#[web::operation(
    get, path = "/api/v2/insights/charts/acknowledgement_score", tag = "charts",
    operation_id = "get_acknowledgement_score_chart",
    params(
        ("interval" = Option<enum_schemas::Interval>, Query, description = "Length of one step. Default: `day`."),
        ChartImageQuery, FactFilters,
    ),
    responses(
        (status = 200, description = "The chart.", content((ScoreChart = "application/json"), (String = "image/svg+xml"))),
        json_api_errors::BadParams, json_api_errors::NotAcceptable, json_api_errors::ResultTooLarge, json_api_errors::Unavailable,
    ),
)]
pub async fn get_acknowledgement_score_chart(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadInsights>,
    Params(params): Params<ChartParams<IntervalParams>>,
    accept: Accept,
) -> Result {
    let output_format = params.image.output_format(&accept)?;
    let chart = app.acknowledgement_score_chart(&caller, &params.filter, params.specific.0).await?;
    render_chart(&app, &caller, chart, output_format, shape).await
}
