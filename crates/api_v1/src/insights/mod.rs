//! /api/v1/insights: metrics, trends and breakdowns of incursions.

mod breakdown;
mod durations;
mod heatmap;
mod summary;
mod totals;
mod trends;

use web::{AnswerScope, OperationRouter, routes};

pub fn routes() -> OperationRouter {
    OperationRouter::new()
        .routes(routes!(summary::get_insights))
        .routes(routes!(totals::get_insight_totals))
        .routes(routes!(trends::get_insight_trends))
        .routes(routes!(breakdown::get_insight_breakdown))
        .routes(routes!(durations::get_insight_durations))
        .routes(routes!(heatmap::get_insight_heatmap))
}
