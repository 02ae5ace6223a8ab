//! GET /api/v2/insights/trends

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::access::ReadInsights;
use web::{Caller, FactFilters, InsightTrends, Params, Result, TrendsParams, TrendsQuery, json_api_errors};

/// Get trends of incursions
///
/// Returns the same as V1, in plain JSON: metrics over time, in steps in the time zone of each worksite. A step without a value has a reason.
#[web::operation(
    get, path = "/api/v2/insights/trends", tag = "insights", operation_id = "get_insight_trends",
    params(FactFilters, TrendsQuery),
    responses(
        (status = 200, description = "Metrics over time.", body = InsightTrends),
        json_api_errors::BadParams, json_api_errors::ResultTooLarge, json_api_errors::Unavailable,
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
