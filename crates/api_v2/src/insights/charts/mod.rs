//! /api/v2/insights/charts: each chart as data in plain JSON or as an image.

mod acknowledged_incursions;
mod acknowledgement_score;
mod durations;
mod heatmap;
mod hours_of_week;
mod incursion_rate;
mod list;
mod machine_runtime;
mod parameters;
mod responses;
mod trends;
mod unknown;
mod zone_time;

use app::insights::Chart;
use app::{App, Error};
use axum::routing::get;
use domain::Invalid;
use domain::access::ReadInsights;
use domain::insights::{Dimension, IncursionFilter, Interval};
use serde::Serialize;
use web::{
    ChartImageParams, FromParams, OperationRouter, OutputFormat, Query, Result, routes, svg_response,
    vary_by_accept,
};

pub fn routes() -> OperationRouter {
    OperationRouter::new()
        .routes(routes!(list::list_charts))
        .routes(routes!(machine_runtime::get_machine_runtime_chart))
        .routes(routes!(acknowledged_incursions::get_acknowledged_incursions_chart))
        .routes(routes!(zone_time::get_zone_time_chart))
        .routes(routes!(trends::get_trends_chart))
        .routes(routes!(incursion_rate::get_incursion_rate_chart))
        .routes(routes!(durations::get_durations_chart))
        .routes(routes!(heatmap::get_heatmap_chart))
        .routes(routes!(hours_of_week::get_hours_of_week_chart))
        .routes(routes!(acknowledgement_score::get_acknowledgement_score_chart))
        .route("/api/v2/insights/charts/{chart}", get(unknown::no_such_chart))
}

/// The parameters that every chart accepts, and those of one chart.
pub struct ChartParams<T> {
    filter: Box<IncursionFilter>,
    image: ChartImageParams,
    specific: T,
}

impl<T: FromParams> FromParams for ChartParams<T> {
    fn read(query: &mut Query) -> Result<Self, Error> {
        let own = T::read(query)?;
        let picture = ChartImageParams::read(query)?;
        Ok(Self { filter: Box::new(IncursionFilter::read(query)?), image: picture, specific: own })
    }
}

/// The `interval` parameter of a chart over time.
pub struct IntervalParams(Interval);

impl FromParams for IntervalParams {
    fn read(query: &mut Query) -> Result<Self, Error> {
        Ok(Self(query.one("interval", Interval::parse)?.unwrap_or(Interval::Day)))
    }
}

/// Returns a parser that accepts only these dimensions.
fn parse_one_of(dimensions: &'static [Dimension]) -> impl Fn(&str) -> Result<Dimension, Invalid> {
    move |text| {
        let found = dimensions.iter().copied().find(|dimension| dimension.as_str() == text);
        found.ok_or_else(|| {
            let words: Vec<&str> = dimensions.iter().map(|dimension| dimension.as_str()).collect();
            Invalid::new("invalid_dimension", format!("must be one of {}", words.join(", ")))
        })
    }
}

/// Renders a chart in the requested format.
async fn render_chart<T: Serialize>(
    app: &App,
    caller: &app::Caller<ReadInsights>,
    chart: Chart,
    output_format: OutputFormat,
    shape: impl FnOnce(Chart) -> T,
) -> Result {
    Ok(vary_by_accept(match output_format {
        OutputFormat::Data => web::json_response(&shape(chart)),
        OutputFormat::Image(request) => svg_response(app.render_chart_image(caller, chart, request).await?),
    }))
}
