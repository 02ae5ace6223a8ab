//! GET /api/v2/insights/charts/incursion_rate

use std::sync::Arc;

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

/// Dimensions that the chart can be split by: those by which runtime is recorded.
pub const SPLIT_DIMENSIONS: &[Dimension] = &[
    Dimension::Project,
    Dimension::Worksite,
    Dimension::Machine,
    Dimension::MachineKind,
    Dimension::Operator,
];

/// The parsed interval and split.
pub struct IncursionRateParams(Interval, Option<Dimension>);

impl FromParams for IncursionRateParams {
    fn read(query: &mut Query) -> Result<Self, Error> {
        let IntervalParams(interval) = IntervalParams::read(query)?;
        Ok(Self(interval, query.one("split_by", parse_one_of(SPLIT_DIMENSIONS))?))
    }
}

/// Chart incursions per hour of runtime
///
/// Divides incursions by the hours that the machines concerned ran, for each step. Without runtime there is no rate. Filters on zone,
/// acknowledgement, duration and review apply to the numerator only; with a filter on a pedestrian or a tag there is no runtime.
#[web::operation(
    get, path = "/api/v2/insights/charts/incursion_rate", tag = "charts", operation_id = "get_incursion_rate_chart",
    params(
        ("interval" = Option<enum_schemas::Interval>, Query, description = "Length of one step. Default: `day`."),
        ("split_by" = Option<String>, Query, example = "worksite",
            description = "Dimension to split by: `project`, `worksite`, `machine`, `machine_kind` or `operator`. The 20 with \
                the most runtime are returned."),
        ChartImageQuery, FactFilters,
    ),
    responses(
        (status = 200, description = "The chart.", content((TimeChart = "application/json"), (String = "image/svg+xml"))),
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
    render_chart(&app, &caller, chart, output_format, TimeChart::from).await
}
