//! GET /api/v1/insights/totals

use std::sync::Arc;

use app::App;
use app::insights::TotalsRequest;
use axum::extract::State;
use domain::access::ReadInsights;
use web::{Caller, FactFilters, InsightTotals, Params, Result, TotalsParams, TotalsQuery, problem};

/// Get all metrics of incursions
///
/// Each metric has a numerator and a denominator, or the reason why it has no value.
///
/// Filters on zone, acknowledgement, duration and review affect only the numerator of `incursions_per_runtime_hour`. With a filter on a
/// pedestrian or a tag there is no runtime.
#[web::operation(
    get, path = "/api/v1/insights/totals", tag = "insights", operation_id = "get_insight_totals",
    params(
        FactFilters,
        TotalsQuery,
    ),
    responses(
        (status = 200, description = "All metrics", body = InsightTotals),
        problem::BadParams, problem::ResultTooLarge, problem::Unavailable,
    ),
)]
pub async fn get_insight_totals(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadInsights>,
    Params(TotalsParams(filter, compare)): Params<TotalsParams>,
) -> Result {
    let totals = app.insight_totals(&caller, &filter, TotalsRequest::all(compare)).await?;
    Ok(web::json_response(&web::shape_totals(&totals)))
}
