//! GET /api/v2/insights/breakdown

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::access::ReadInsights;
use web::{
    BreakdownParams, BreakdownQuery, Caller, FactFilters, InsightBreakdown, Params, Result, json_api_errors,
};

/// Break incursions down by a dimension
///
/// Returns the same as V1, in plain JSON. Each group has its metrics, by any of which the groups can be sorted.
#[web::operation(
    get, path = "/api/v2/insights/breakdown", tag = "insights", operation_id = "get_insight_breakdown",
    params(FactFilters, BreakdownQuery),
    responses(
        (status = 200, description = "The breakdown.", body = InsightBreakdown),
        json_api_errors::BadParams, json_api_errors::ResultTooLarge, json_api_errors::Unavailable,
    ),
)]
pub async fn get_insight_breakdown(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadInsights>,
    Params(BreakdownParams(filter, request)): Params<BreakdownParams>,
) -> Result {
    let breakdown = app.insight_breakdown(&caller, &filter, &request).await?;
    Ok(web::json_response(&web::shape_breakdown(breakdown)))
}
