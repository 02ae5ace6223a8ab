//! GET /api/v2/insights/charts/acknowledged_incursions

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::access::ReadInsights;
use web::{Accept, Caller, ChartImageQuery, FactFilters, Params, Result, enum_schemas, json_api_errors};

use super::responses::TimeChart;
use super::{ChartParams, IntervalParams, render_chart};

/// Chart acknowledged and unacknowledged incursions
///
/// Has three series: `acknowledged`, `unacknowledged` and `acknowledgement_rate`.
#[web::operation(
    get, path = "/api/v2/insights/charts/acknowledged_incursions", tag = "charts",
    operation_id = "get_acknowledged_incursions_chart",
    params(
        ("interval" = Option<enum_schemas::Interval>, Query, description = "Length of one step. Default: `day`."),
        ChartImageQuery, FactFilters,
    ),
    responses(
        (status = 200, description = "The chart.", content((TimeChart = "application/json"), (String = "image/svg+xml"))),
        json_api_errors::BadParams, json_api_errors::NotAcceptable, json_api_errors::ResultTooLarge, json_api_errors::Unavailable,
    ),
)]
pub async fn get_acknowledged_incursions_chart(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadInsights>,
    Params(params): Params<ChartParams<IntervalParams>>,
    accept: Accept,
) -> Result {
    let output_format = params.image.output_format(&accept)?;
    let chart = app.acknowledged_incursions_chart(&caller, &params.filter, params.specific.0).await?;
    render_chart(&app, &caller, chart, output_format, TimeChart::from).await
}
