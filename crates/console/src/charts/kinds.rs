//! GET /charts/{kind}

use std::sync::Arc;

use app::chart_images::{ChartImageRequest, Theme};
use app::insights::{
    Chart, Compare, MachineRuntimeRequest, Operators, Shade, TrendsChartRequest, ZoneTimeRequest,
};
use app::{App, Error};
use axum::extract::State;
use domain::Invalid;
use domain::access::ReadInsights;
use domain::insights::{Dimension, IncursionFilter, Interval, Measure, Resolution};
use web::{Caller, FromParams, Params, PathText, Query, Result, read_chart_image, svg_response};

use crate::frame::Frame;
use crate::pickers::Pickers;

/// H3 resolution of hexagons about 50 metres across.
const DEFAULT_RESOLUTION: i64 = 11;
const DEFAULT_LIMIT: i64 = 10;

/// The parameters of all charts. Each chart uses those that it knows.
pub struct ChartParams {
    pickers: Pickers,
    more: IncursionFilter,
    interval: Interval,
    measures: Vec<Measure>,
    by: Option<Dimension>,
    limit: usize,
    resolution: Resolution,
    shade: Shade,
    image: ChartImageRequest,
}

impl FromParams for ChartParams {
    fn read(query: &mut Query) -> std::result::Result<Self, Error> {
        let pickers = Pickers::read(query)?;
        let image = read_chart_image(query, Theme::Auto)?;
        let (coarsest, finest) = (Resolution::COARSEST.number(), Resolution::FINEST.number());
        let resolution = query.integer("resolution", coarsest.into()..=finest.into())?;
        let limit = query.integer("limit", 1..=MachineRuntimeRequest::MAX_LIMIT as i64)?;
        Ok(Self {
            pickers,
            interval: query.one("interval", Interval::parse)?.unwrap_or(Interval::Day),
            measures: query.many("measure", TrendsChartRequest::MAX_MEASURES, Measure::parse)?,
            by: query.one("by", Dimension::parse)?,
            limit: usize::try_from(limit.unwrap_or(DEFAULT_LIMIT)).unwrap_or(usize::MAX),
            resolution: Resolution::new(resolution.unwrap_or(DEFAULT_RESOLUTION))
                .unwrap_or(Resolution::FINEST),
            shade: query.one("shade", Shade::parse)?.unwrap_or_default(),
            image: ChartImageRequest { without_title: true, ..image },
            more: IncursionFilter::read(query)?,
        })
    }
}

/// Draws a chart without its title, which the page has.
pub async fn show(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadInsights>,
    frame: Frame,
    PathText(kind): PathText,
    Params(params): Params<ChartParams>,
) -> Result {
    let image = params.image;
    let chart = find(&app, &caller, &frame, &kind, params).await?;
    Ok(svg_response(app.render_chart_image(&caller, chart, image).await?))
}

async fn find(
    app: &App,
    caller: &app::Caller<ReadInsights>,
    frame: &Frame,
    kind: &str,
    params: ChartParams,
) -> std::result::Result<Chart, Error> {
    let ChartParams { pickers, more, interval, measures, by, limit, resolution, shade, .. } = params;
    let pickers = pickers.resolved(frame);
    let compare: Compare = pickers.compare;
    let filter = pickers.with(more);
    let measure = measures.first().copied().unwrap_or(Measure::Incursions);
    let one_of = |allowed: &[Dimension]| match by {
        Some(by) if !allowed.contains(&by) => {
            let invalid = Invalid::new("invalid_dimension", "is not a dimension of this chart");
            Err(Error::bad_parameter("by", invalid))
        }
        by => Ok(by),
    };
    match kind {
        "trends" => {
            let measures = if measures.is_empty() { vec![measure] } else { measures };
            let request = TrendsChartRequest { interval, measures, compare };
            app.trends_chart(caller, &filter, &request).await.map_err(named_as_sent)
        }
        "incursion-rate" => {
            let split_by = one_of(&Dimension::RATE_SPLITS)?;
            app.incursion_rate_chart(caller, &filter, interval, split_by).await
        }
        "acknowledged-incursions" => app.acknowledged_incursions_chart(caller, &filter, interval).await,
        "acknowledgement-score" => app.acknowledgement_score_chart(caller, &filter, interval).await,
        "hours-of-week" => app.hours_of_week_chart(caller, &filter, measure).await,
        "durations" => app.durations_chart(caller, &filter).await,
        "zone-time" => {
            let by = one_of(&ZoneTimeRequest::BY)?.unwrap_or(Dimension::Zone);
            app.zone_time_chart(caller, &filter, ZoneTimeRequest { by, limit }).await
        }
        "heatmap" => app.heatmap_chart(caller, &filter, resolution, shade).await,
        "machine-runtime" | "operators" => {
            let operators = if kind == "operators" { Operators::Shown } else { Operators::Hidden };
            let request = MachineRuntimeRequest { interval, operators, limit };
            app.machine_runtime_chart(caller, &filter, request).await
        }
        _ => Err(Error::not_found("chart")),
    }
}

/// Names the parameter as addresses of the console do. The charts of the API call a measure a metric; in the console it is a measure
/// everywhere, as in pivots.
fn named_as_sent(error: Error) -> Error {
    match error.fields.as_slice() {
        [fault] if fault.field == "metric" => Error::bad_parameter("measure", fault.invalid.clone()),
        _ => error,
    }
}
