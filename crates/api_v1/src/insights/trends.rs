//! GET /api/v1/insights/trends

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::access::ReadInsights;
use web::{Caller, FactFilters, InsightTrends, Params, Result, TrendsParams, TrendsQuery, problem};

/// Get trends of incursions
///
/// Returns metrics over time, in steps in the time zone of each worksite. Every step of the period is listed; a step without a value has
/// a reason.
#[web::operation(
    get, path = "/api/v1/insights/trends", tag = "insights", operation_id = "get_insight_trends",
    params(
        FactFilters,
        TrendsQuery,
    ),
    responses(
        (status = 200, description = "Metrics over time", body = InsightTrends),
        problem::BadParams, problem::ResultTooLarge, problem::Unavailable,
    ),
)]
pub async fn get_insight_trends(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadInsights>,
    Params(TrendsParams(filter, request)): Params<TrendsParams>,
) -> Result {
    let trends = app.insight_trends(&caller, &filter, &request).await?;
    Ok(web::json_response(&web::shape_trends(trends)))
}
