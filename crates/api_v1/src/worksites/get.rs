//! GET /api/v1/worksites/{id}

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::WorksiteId;
use domain::access::ReadRegistry;
use web::{Caller, IfNoneMatchHeader, NoParams, PathId, Result, problem};

use super::{Worksite, shape};

/// One worksite that you see, as it is now.
#[utoipa::path(
    get, path = "/api/v1/worksites/{id}", tag = "worksites", operation_id = "get_worksite", security(("session" = [])),
    params(
        ("id" = i64, Path, description = "The worksite's id"),
        ("If-None-Match" = Option<String>, Header, description = "The ETag you have; 304 if it is still the same"),
    ),
    responses(
        (status = 200, description = "The worksite", body = Worksite, headers(("ETag" = String, description = "Its version"))),
        (status = 304, description = "You have it already"),
        problem::Unauthenticated, problem::NotFound,
    ),
)]
pub async fn get_worksite(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadRegistry>,
    PathId(id): PathId,
    if_none_match: IfNoneMatchHeader,
    _: NoParams,
) -> Result {
    let site = app.find_worksite(&caller, WorksiteId(id)).await?;
    let version = site.version;
    Ok(web::with_etag(web::json_response(&shape(site)), version, Some(&if_none_match)))
}
