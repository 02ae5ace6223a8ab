//! /api/v1/insights: metrics, trends and breakdowns of incursions.

mod breakdown;
mod durations;
mod heatmap;
mod summary;
mod totals;
mod trends;

use domain::Invalid;
use domain::insights::Dimension;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use web::{AnswerScope, EdgeState};

pub fn routes() -> OpenApiRouter<EdgeState> {
    OpenApiRouter::new()
        .routes(routes!(summary::get_insights))
        .routes(routes!(totals::get_insight_totals))
        .routes(routes!(trends::get_insight_trends))
        .routes(routes!(breakdown::get_insight_breakdown))
        .routes(routes!(durations::get_insight_durations))
        .routes(routes!(heatmap::get_insight_heatmap))
}

/// The dimensions by which breakdowns and trends can be split.
const SPLIT_DIMENSIONS: [Dimension; 9] = [
    Dimension::Project,
    Dimension::Worksite,
    Dimension::Machine,
    Dimension::MachineKind,
    Dimension::Pedestrian,
    Dimension::Operator,
    Dimension::Zone,
    Dimension::HourOfDay,
    Dimension::DayOfWeek,
];

fn parse_split_dimension(text: &str) -> Result<Dimension, Invalid> {
    let found = SPLIT_DIMENSIONS.into_iter().find(|dimension| dimension.as_str() == text);
    found.ok_or_else(|| {
        let words = SPLIT_DIMENSIONS.map(Dimension::as_str).join(", ");
        Invalid::new("invalid_dimension", format!("must be one of {words}"))
    })
}
