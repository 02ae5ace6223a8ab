//! /api/v2/insights: metrics, trends, breakdowns and charts of incursions and runtime.

mod breakdown;
mod charts;
mod totals;
mod trends;

use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use web::EdgeState;

pub fn routes() -> OpenApiRouter<EdgeState> {
    OpenApiRouter::new()
        .routes(routes!(totals::get_insight_totals))
        .routes(routes!(trends::get_insight_trends))
        .routes(routes!(breakdown::get_insight_breakdown))
        .merge(charts::routes())
}
