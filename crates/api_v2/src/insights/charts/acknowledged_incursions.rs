//! GET /api/v2/insights/charts/acknowledged_incursions

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::access::ReadInsights;
use web::{Accept, Caller, FactFilters, Params, PictureFilters, Result, json_api, words};

use super::answers::TimeChart;
use super::{ChartParams, Steps, shown};

/// How many incursions the cab acknowledged and how many it did not, step by step, and the part of all that it acknowledged.
///
/// Three series: `acknowledged`, `unacknowledged` and `acknowledgement_rate`.
#[utoipa::path(
    get, path = "/api/v2/insights/charts/acknowledged_incursions", tag = "charts",
    operation_id = "get_acknowledged_incursions_chart", security(("jwt" = [])),
    params(
        ("interval" = Option<words::Interval>, Query, description = "In which steps; left out: `day`"),
        PictureFilters, FactFilters,
    ),
    responses(
        (status = 200, description = "The chart", content((TimeChart = "application/json"), (String = "image/svg+xml"))),
        json_api::BadParams, json_api::Unauthenticated, json_api::NotAcceptable, json_api::TooWide, json_api::NotNow,
    ),
)]
pub async fn get_acknowledged_incursions_chart(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadInsights>,
    Params(params): Params<ChartParams<Steps>>,
    accept: Accept,
) -> Result {
    let wish = params.picture.wish(&accept)?;
    let chart = app.acknowledged_incursions_chart(&caller, &params.filter, params.own.0).await?;
    shown(&app, &caller, chart, wish, TimeChart::from).await
}
