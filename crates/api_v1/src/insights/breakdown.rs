//! GET /api/v1/insights/breakdown

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::access::ReadInsights;
use web::{BreakdownParams, BreakdownQuery, Caller, FactFilters, InsightBreakdown, Params, Result, problem};

/// Break incursions down by a dimension
///
/// Groups the incursions that match the filters. Each group has its metrics, by any of which the groups can be sorted.
#[web::operation(
    get, path = "/api/v1/insights/breakdown", tag = "insights", operation_id = "get_insight_breakdown",
    params(
        FactFilters,
        BreakdownQuery,
    ),
    responses(
        (status = 200, description = "The breakdown", body = InsightBreakdown),
        problem::BadParams, problem::ResultTooLarge, problem::Unavailable,
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
