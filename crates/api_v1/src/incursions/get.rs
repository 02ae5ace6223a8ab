//! GET /api/v1/incursions/{id}

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::IncursionId;
use domain::access::ReadInsights;
use web::{Caller, NoParams, PathId, Result, problem};

use super::record::{IncursionRecord, shape_record};

/// Get an incursion
///
/// Returns the incursion with its reviews and its history of changes.
#[web::operation(
    get, path = "/api/v1/incursions/{id}", tag = "incursions", operation_id = "get_incursion",
    params(("id" = i64, Path, description = "Identifier of the incursion")),
    responses(
        (status = 200, description = "The incursion", body = IncursionRecord,
            headers(("ETag" = String, description = "Sequence number of the last change"))),
        problem::NotFound,
    ),
)]
pub async fn get_incursion(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadInsights>,
    PathId(id): PathId,
    _: NoParams,
) -> Result {
    let record = app.find_incursion(&caller, IncursionId(id)).await?;
    let seq = record.view.details.stored.row.seq;
    // 304 is never sent: names of related records and video can change without a change of the incursion.
    Ok(web::with_etag(web::json_response(&shape_record(record)), seq, None))
}
