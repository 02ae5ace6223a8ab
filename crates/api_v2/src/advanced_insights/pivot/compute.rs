//! POST /api/v2/advanced_insights/pivot

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::access::ReadInsights;
use web::{Caller, DeferredBody, NoParams, Result, json_api_errors};

use super::{NewPivot, PivotAnswer, PivotFields, shape};

/// Compute a pivot
///
/// Groups measures by nested rows and columns, with subtotals and totals. Each row is followed by its children; a row above the
/// innermost level is the subtotal of all its children, including those left out by `limit`. A pivot has at most 200,000 cells.
#[web::operation(
    post, path = "/api/v2/advanced_insights/pivot", tag = "advanced insights", operation_id = "make_pivot", request_body = NewPivot,
    responses(
        (status = 200, description = "The pivot.", body = PivotAnswer),
        json_api_errors::BadBody, json_api_errors::BadParams, json_api_errors::Unavailable,
    ),
)]
pub async fn compute_pivot(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadInsights>,
    _: NoParams,
    body: DeferredBody,
) -> Result {
    let PivotFields(filter, request) = body.read().await?;
    let pivot = app.insight_pivot(&caller, &filter, &request).await?;
    Ok(web::json_response(&shape(pivot, &request)))
}
