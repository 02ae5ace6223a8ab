//! GET /api/v2/insights/charts/durations

use std::sync::Arc;

use app::App;
use app::insights::{Chart, ChartDetails, Durations};
use axum::extract::State;
use domain::access::ReadInsights;
use web::{
    Accept, Caller, ChartImageQuery, FactFilters, NamedMetrics, NoParams, Params, Result, json_api_errors,
};

use super::responses::CategoryChart;
use super::{ChartParams, render_chart};

/// Chart of the durations of incursions.
#[web::answer]
pub struct DurationsChart {
    #[serde(flatten)]
    chart: CategoryChart,
    /// Number of incursions without an end; they are in no duration range.
    #[schema(example = 0)]
    without_end: i64,
    /// Measures of all incursions together.
    metrics: NamedMetrics,
}

fn shape(chart: Chart) -> DurationsChart {
    let metrics = match &chart.details {
        ChartDetails::Durations { total } => NamedMetrics::new(&Durations::MEASURES, total),
        _ => NamedMetrics::new(&[], &[]),
    };
    DurationsChart { without_end: chart.without_end, chart: chart.into(), metrics }
}

/// Chart how long incursions lasted
///
/// Counts incursions by duration, in ranges that end at 5, 15, 30, 60, 120 and 300 seconds, and one for longer incursions.
#[web::operation(
    get, path = "/api/v2/insights/charts/durations", tag = "charts", operation_id = "get_durations_chart", params(ChartImageQuery, FactFilters),
    responses(
        (status = 200, description = "The chart.", content((DurationsChart = "application/json"), (String = "image/svg+xml"))),
        json_api_errors::BadParams, json_api_errors::NotAcceptable, json_api_errors::ResultTooLarge, json_api_errors::Unavailable,
    ),
)]
pub async fn get_durations_chart(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadInsights>,
    Params(params): Params<ChartParams<NoParams>>,
    accept: Accept,
) -> Result {
    let output_format = params.image.output_format(&accept)?;
    let chart = app.durations_chart(&caller, &params.filter).await?;
    render_chart(&app, &caller, chart, output_format, shape).await
}
