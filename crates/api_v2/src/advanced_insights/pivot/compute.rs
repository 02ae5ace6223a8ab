//! POST /api/v2/advanced_insights/pivot

use std::sync::Arc;

use app::{App, Error, ErrorKind};
use axum::extract::State;
use domain::access::ReadInsights;
use web::{Caller, DeferredBody, Params, Result, enum_schemas, json_api_errors};

use super::{CellParams, NewPivot, PivotAnswer, PivotFields, shape};

/// Compute a pivot
///
/// Groups measures by nested rows and columns, with subtotals and totals. Each row is followed by its children; a row above the
/// innermost level is the subtotal of all its children, including those left out by `limit`. A pivot has at most 200,000 cells.
#[web::operation(
    post, path = "/api/v2/advanced_insights/pivot", tag = "advanced insights", operation_id = "make_pivot", request_body = NewPivot,
    params(
        ("cells" = Option<enum_schemas::PivotCellFormat>, Query, example = "objects",
            description = "Form of the cells: arrays, or with `objects` objects with a member for each number. Default: `compact`."),
    ),
    responses(
        (status = 200, description = "The pivot.", body = PivotAnswer),
        json_api_errors::BadBody, json_api_errors::BadParams, json_api_errors::Unavailable,
    ),
)]
pub async fn compute_pivot(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadInsights>,
    Params(CellParams(format)): Params<CellParams>,
    body: DeferredBody,
) -> Result {
    let PivotFields(filter, request) = body.read().await?;
    let pivot = app.insight_pivot(&caller, &filter, &request).await.map_err(with_period_in_body)?;
    Ok(web::json_response(&shape(pivot, &request, format)))
}

/// Names a fault of the period as one of the body, which contains it.
fn with_period_in_body(error: Error) -> Error {
    match error.fields.first() {
        Some(fault) if error.kind == ErrorKind::BadRequest && matches!(&*fault.field, "from" | "to") => {
            Error::invalid_field(&format!("filters.{}", fault.field), fault.invalid.clone())
        }
        _ => error,
    }
}
