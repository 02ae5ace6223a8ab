//! GET /api/v2/insights/totals

use std::sync::Arc;

use app::App;
use app::insights::TotalsRequest;
use axum::extract::State;
use domain::access::ReadInsights;
use web::{Caller, FactFilters, InsightTotals, Params, Result, TotalsParams, TotalsQuery, json_api_errors};

/// Get all metrics of incursions
///
/// Returns the same as V1, in plain JSON. Each metric has a numerator and a denominator, or the reason why it has no value.
#[web::operation(
    get, path = "/api/v2/insights/totals", tag = "insights", operation_id = "get_insight_totals",
    params(FactFilters, TotalsQuery),
    responses(
        (status = 200, description = "All metrics.", body = InsightTotals),
        json_api_errors::BadParams, json_api_errors::ResultTooLarge, json_api_errors::Unavailable,
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
