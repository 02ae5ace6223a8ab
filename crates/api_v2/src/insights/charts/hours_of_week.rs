//! GET /api/v2/insights/charts/hours_of_week

use std::sync::Arc;

use app::{App, Error};
use axum::extract::State;
use domain::access::ReadInsights;
use domain::insights::Measure;
use web::{
    Accept, Caller, ChartImageQuery, FactFilters, FromParams, Params, Query, Result, enum_schemas,
    json_api_errors,
};

use super::responses::CategoryChart;
use super::{ChartParams, render_chart};

/// The parsed measure.
pub struct HoursOfWeekParams(Measure);

impl FromParams for HoursOfWeekParams {
    fn read(query: &mut Query) -> Result<Self, Error> {
        Ok(Self(query.one("metric", Measure::parse)?.unwrap_or(Measure::Incursions)))
    }
}

/// Chart a metric by hour and day of the week
///
/// Hours are in the local time of each worksite. Has seven series, keyed 1 (Monday) to 7 (Sunday), of 24 points each, keyed 0 to 23.
/// Every hour has a point; a point without a value has a reason.
#[web::operation(
    get, path = "/api/v2/insights/charts/hours_of_week", tag = "charts", operation_id = "get_hours_of_week_chart",
    params(
        ("metric" = Option<enum_schemas::Measure>, Query, description = "Metric to chart. Default: `incursions`."),
        ChartImageQuery, FactFilters,
    ),
    responses(
        (status = 200, description = "The chart.", content((CategoryChart = "application/json"), (String = "image/svg+xml"))),
        json_api_errors::BadParams, json_api_errors::NotAcceptable, json_api_errors::ResultTooLarge, json_api_errors::Unavailable,
    ),
)]
pub async fn get_hours_of_week_chart(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadInsights>,
    Params(params): Params<ChartParams<HoursOfWeekParams>>,
    accept: Accept,
) -> Result {
    let output_format = params.image.output_format(&accept)?;
    let chart = app.hours_of_week_chart(&caller, &params.filter, params.specific.0).await?;
    render_chart(&app, &caller, chart, output_format, CategoryChart::from).await
}
