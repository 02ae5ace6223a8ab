//! GET /api/v2/insights/charts/zone_time

use std::sync::Arc;

use app::insights::{Chart, ZoneTimeRequest};
use app::{App, Error};
use axum::extract::State;
use domain::access::ReadInsights;
use domain::insights::Dimension;
use web::{
    Accept, Caller, ChartImageQuery, FactFilters, FromParams, Params, Query, Result, enum_schemas,
    json_api_errors,
};

use super::responses::CategoryChart;
use super::{ChartParams, parse_one_of, render_chart};

/// Chart of the time that people spent in zones.
#[web::answer]
pub struct ZoneTimeChart {
    #[serde(flatten)]
    chart: CategoryChart,
    /// Number of incursions without an end; their time is not known and not included.
    #[schema(example = 0)]
    without_end: i64,
}

fn shape(chart: Chart) -> ZoneTimeChart {
    ZoneTimeChart { without_end: chart.without_end, chart: chart.into() }
}

/// Default maximum number of groups.
pub const DEFAULT_LIMIT: usize = 20;

/// The parsed query parameters.
pub struct ZoneTimeParams(ZoneTimeRequest);

impl FromParams for ZoneTimeParams {
    fn read(query: &mut Query) -> Result<Self, Error> {
        let by = query.one("by", parse_one_of(&ZoneTimeRequest::BY))?.unwrap_or(Dimension::Zone);
        let limit = query.integer("limit", 1..=ZoneTimeRequest::MAX_LIMIT as i64)?;
        let limit = limit.and_then(|limit| usize::try_from(limit).ok()).unwrap_or(DEFAULT_LIMIT);
        Ok(Self(ZoneTimeRequest { by, limit }))
    }
}

/// Chart the time that people spent in zones
///
/// Adds up the durations of incursions that have ended. By zone there is one series with a point for each zone; by any other dimension
/// there is a series for each zone with the same points in each, the group with the most time first.
#[web::operation(
    get, path = "/api/v2/insights/charts/zone_time", tag = "charts", operation_id = "get_zone_time_chart",
    params(
        ("by" = Option<enum_schemas::ZoneTimeDimension>, Query, example = "machine",
            description = "Dimension to group by. Default: `zone`."),
        ("limit" = Option<i64>, Query, minimum = 1, maximum = 100, description = "Maximum number of groups. Default: 20."),
        ChartImageQuery, FactFilters,
    ),
    responses(
        (status = 200, description = "The chart.", content((ZoneTimeChart = "application/json"), (String = "image/svg+xml"))),
        json_api_errors::BadParams, json_api_errors::NotAcceptable, json_api_errors::ResultTooLarge, json_api_errors::Unavailable,
    ),
)]
pub async fn get_zone_time_chart(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadInsights>,
    Params(params): Params<ChartParams<ZoneTimeParams>>,
    accept: Accept,
) -> Result {
    let output_format = params.image.output_format(&accept)?;
    let chart = app.zone_time_chart(&caller, &params.filter, params.specific.0).await?;
    render_chart(&app, &caller, chart, output_format, shape).await
}
