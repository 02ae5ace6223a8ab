//! GET /api/v2/insights/charts/hours_of_week

use std::sync::Arc;

use app::insights::{Chart, ChartPoint, ChartSeries};
use app::{App, Error};
use axum::extract::State;
use domain::access::ReadInsights;
use domain::insights::Measure;
use web::{
    Accept, Caller, ChartImageQuery, FactFilters, FromParams, Params, Query, Result, enum_schemas,
    json_api_errors,
};

use super::responses::{CategoryPoint, ChartHead};
use super::{ChartParams, render_chart};

/// Chart of a metric by hour and day of the week.
#[web::answer]
pub struct HoursOfWeekChart {
    #[serde(flatten)]
    head: ChartHead,
    /// One series for each day of the week.
    series: Vec<WeekdaySeries>,
}

/// The hours of a day of the week.
#[web::answer]
pub struct WeekdaySeries {
    /// Number of the day, from `1` for Monday to `7` for Sunday.
    #[schema(example = "1")]
    key: String,
    /// Name of the day.
    #[schema(example = "Monday")]
    label: String,
    /// Measure of the series.
    #[schema(value_type = enum_schemas::Measure, example = "incursions")]
    metric: &'static str,
    /// Unit of the values.
    #[schema(value_type = enum_schemas::MeasureUnit, example = "count")]
    unit: &'static str,
    /// Points, one for each hour of the day.
    points: Vec<HourPoint>,
}

/// The value of one hour of the week.
#[web::answer]
pub struct HourPoint {
    #[serde(flatten)]
    point: CategoryPoint,
    /// Whether the period lacks this hour, or a part of it, on one of its days: the period begins or ends on that day, or the day has not
    /// ended.
    #[schema(example = false)]
    partial: bool,
}

fn shape(chart: Chart) -> HoursOfWeekChart {
    let point = |point: ChartPoint| HourPoint { partial: point.partial, point: CategoryPoint::from(point) };
    let series = |series: ChartSeries| WeekdaySeries {
        key: series.key,
        label: series.label,
        metric: series.measure.as_str(),
        unit: series.measure.unit().as_str(),
        points: series.points.into_iter().map(point).collect(),
    };
    HoursOfWeekChart { head: ChartHead::of(&chart), series: chart.series.into_iter().map(series).collect() }
}

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
/// Every hour has a point; a point without a value has a reason: `not_in_period` if the period does not contain the hour, and `not_yet`
/// if it does but the hour has not come.
#[web::operation(
    get, path = "/api/v2/insights/charts/hours_of_week", tag = "charts", operation_id = "get_hours_of_week_chart",
    params(
        ("metric" = Option<enum_schemas::Measure>, Query, description = "Metric to chart. Default: `incursions`."),
        ChartImageQuery, FactFilters,
    ),
    responses(
        (status = 200, description = "The chart.", content((HoursOfWeekChart = "application/json"), (String = "image/svg+xml"))),
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
    render_chart(&app, &caller, chart, output_format, shape).await
}
