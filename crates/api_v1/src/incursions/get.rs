//! GET /api/v1/incursions/{id}

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::IncursionId;
use domain::access::ReadInsights;
use web::{Caller, NoParams, PathId, Result, problem};

use super::record::{IncursionRecord, shape_record};

/// One incursion that you see, with what was said about it and what it was before.
#[utoipa::path(
    get, path = "/api/v1/incursions/{id}", tag = "incursions", operation_id = "get_incursion",
    security(("session" = [])),
    params(("id" = i64, Path, description = "The incursion's id")),
    responses(
        (status = 200, description = "The incursion", body = IncursionRecord,
            headers(("ETag" = String, description = "The number of its last change"))),
        problem::Unauthenticated, problem::NotFound,
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
    // Never a 304: what it joins may be called something else, and its video comes, without it being changed.
    Ok(web::with_etag(web::json_response(&shape_record(record)), seq, None))
}
