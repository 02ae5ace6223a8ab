//! GET /api/v1/insights/heatmap

use std::sync::Arc;

use app::{App, Error};
use axum::extract::State;
use domain::access::ReadInsights;
use domain::insights::{IncursionFilter, Resolution};
use web::enum_schemas::FeatureCollectionType;
use web::{Caller, FactFilters, FromParams, HexagonFeature, Params, Query, Result, problem};

use super::AnswerScope;

/// The places of incursions, as a GeoJSON FeatureCollection of hexagons.
#[web::answer]
pub struct InsightHeatmap {
    /// GeoJSON type, always `FeatureCollection`.
    r#type: FeatureCollectionType,
    /// Hexagons with at least one incursion, those with the most incursions first.
    features: Vec<HexagonFeature>,
    /// H3 resolution of the hexagons.
    #[schema(example = 11)]
    resolution: u8,
    /// Number of hexagons that were left out, those with the fewest incursions. Choose a coarser resolution or a shorter period to get
    /// all.
    #[schema(example = 0)]
    more: u64,
    /// Number of incursions without a position.
    #[schema(example = 0)]
    without_position: i64,
    #[serde(flatten)]
    of: AnswerScope,
}

pub struct HeatmapParams(Box<IncursionFilter>, Resolution);

/// Hexagons about fifty metres across.
const DEFAULT_RESOLUTION: i64 = 11;

impl FromParams for HeatmapParams {
    fn read(query: &mut Query) -> Result<Self, Error> {
        let (coarsest, finest) = (Resolution::COARSEST.number(), Resolution::FINEST.number());
        let number =
            query.integer("resolution", coarsest.into()..=finest.into())?.unwrap_or(DEFAULT_RESOLUTION);
        let resolution = Resolution::new(number).unwrap_or(Resolution::FINEST);
        Ok(Self(Box::new(IncursionFilter::read(query)?), resolution))
    }
}

/// Get a heatmap of incursions
///
/// Returns H3 hexagons as GeoJSON, each with its number of incursions and the share that was acknowledged.
#[web::operation(
    get, path = "/api/v1/insights/heatmap", tag = "insights", operation_id = "get_insight_heatmap",
    params(
        FactFilters,
        ("resolution" = Option<i64>, Query, minimum = 9, maximum = 13, example = 11,
            description = "H3 resolution, from 9 (about 350 m across) to 13 (about 7 m across); the default is 11 (about 50 m)"),
    ),
    responses(
        (status = 200, description = "The hexagons", body = InsightHeatmap, content_type = "application/geo+json"),
        problem::BadParams, problem::ResultTooLarge, problem::Unavailable,
    ),
)]
pub async fn get_insight_heatmap(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadInsights>,
    Params(HeatmapParams(filter, resolution)): Params<HeatmapParams>,
) -> Result {
    let heatmap = app.insight_heatmap(&caller, &filter, resolution).await?;
    let features = heatmap.hexagons.into_iter().map(HexagonFeature::from);
    Ok(web::geo_json_response(&InsightHeatmap {
        r#type: FeatureCollectionType,
        features: features.collect(),
        resolution: heatmap.resolution.number(),
        more: heatmap.more,
        without_position: heatmap.without_position,
        of: AnswerScope::from(&heatmap.result),
    }))
}
