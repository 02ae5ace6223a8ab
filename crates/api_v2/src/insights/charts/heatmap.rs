//! GET /api/v2/insights/charts/heatmap

use std::sync::Arc;

use app::insights::{Chart, ChartDetails, Shade};
use app::{App, Error};
use axum::extract::State;
use domain::access::ReadInsights;
use domain::insights::Resolution;
use web::enum_schemas::{FeatureCollectionType, HeatmapShade};
use web::{
    Accept, Caller, ChartImageQuery, FactFilters, FromParams, HexagonFeature, Params, Query, Result,
    json_api_errors,
};

use super::responses::CategoryChart;
use super::{ChartParams, render_chart};

/// Heatmap of incursions, as a GeoJSON feature collection of hexagons.
#[web::answer]
pub struct HeatmapChart {
    #[serde(flatten)]
    chart: CategoryChart,
    /// Always `FeatureCollection`.
    r#type: FeatureCollectionType,
    /// Hexagons with at least one incursion, those with the most first.
    features: Vec<HexagonFeature>,
    /// H3 resolution of the hexagons.
    #[schema(example = 11)]
    resolution: Option<u8>,
    /// Number of incursions without a position.
    #[schema(example = 0)]
    without_position: i64,
}

fn shape(mut chart: Chart) -> HeatmapChart {
    let heatmap = match std::mem::replace(&mut chart.details, ChartDetails::None) {
        ChartDetails::Map { heatmap, .. } => Some(heatmap),
        _ => None,
    };
    let (resolution, without_position) = (
        heatmap.as_ref().map(|map| map.resolution.number()),
        heatmap.as_ref().map_or(0, |map| map.without_position),
    );
    let features = heatmap.into_iter().flat_map(|map| map.hexagons).map(HexagonFeature::from).collect();
    HeatmapChart {
        chart: chart.into(),
        r#type: FeatureCollectionType,
        features,
        resolution,
        without_position,
    }
}

/// H3 resolution of hexagons about 50 metres across.
pub const DEFAULT_RESOLUTION: i64 = 11;

/// The parsed query parameters: the size of the hexagons and the meaning of their shades.
pub struct HeatmapParams(Resolution, Shade);

impl FromParams for HeatmapParams {
    fn read(query: &mut Query) -> Result<Self, Error> {
        let (coarsest, finest) = (Resolution::COARSEST.number(), Resolution::FINEST.number());
        let number =
            query.integer("resolution", coarsest.into()..=finest.into())?.unwrap_or(DEFAULT_RESOLUTION);
        let shade = query.one("shade", Shade::parse)?.unwrap_or_default();
        Ok(Self(Resolution::new(number).unwrap_or(Resolution::FINEST), shade))
    }
}

/// Chart incursions on a map
///
/// Returns H3 hexagons, each with its number of incursions and acknowledgement rate. The image has a map for each worksite, with its
/// boundary, of the six with the most incursions. If hexagons lie too far apart for one map, it shows the surroundings of the one with
/// the most incursions and states how many incursions are outside.
#[web::operation(
    get, path = "/api/v2/insights/charts/heatmap", tag = "charts", operation_id = "get_heatmap_chart",
    params(
        ("resolution" = Option<i64>, Query, minimum = 9, maximum = 13, example = 11,
            description = "H3 resolution, from 9 (hexagons about 350 m across) to 13 (about 7 m). Default: 11 (about 50 m)."),
        ("shade" = Option<HeatmapShade>, Query, example = "incursions",
            description = "Measure that the shades of an image show. Default: `incursions`."),
        ChartImageQuery, FactFilters,
    ),
    responses(
        (status = 200, description = "The chart.", content((HeatmapChart = "application/json"), (String = "image/svg+xml"))),
        json_api_errors::BadParams, json_api_errors::NotAcceptable, json_api_errors::ResultTooLarge, json_api_errors::Unavailable,
    ),
)]
pub async fn get_heatmap_chart(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadInsights>,
    Params(params): Params<ChartParams<HeatmapParams>>,
    accept: Accept,
) -> Result {
    let output_format = params.image.output_format(&accept)?;
    let HeatmapParams(resolution, shade) = params.specific;
    let chart = app.heatmap_chart(&caller, &params.filter, resolution, shade).await?;
    render_chart(&app, &caller, chart, output_format, shape).await
}
