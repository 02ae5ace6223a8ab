//! /api/v2/insights: metrics, trends, breakdowns and charts of incursions and runtime.

mod breakdown;
mod charts;
mod totals;
mod trends;

use web::{OperationRouter, routes};

pub fn routes() -> OperationRouter {
    OperationRouter::new()
        .routes(routes!(totals::get_insight_totals))
        .routes(routes!(trends::get_insight_trends))
        .routes(routes!(breakdown::get_insight_breakdown))
        .merge(charts::routes())
}
