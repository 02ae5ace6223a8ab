//! GET /api/v1/worksites/{id}

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::WorksiteId;
use domain::access::ReadRegistry;
use web::{Caller, IfNoneMatchHeader, NoParams, PathId, Result, problem};

use super::{Worksite, shape};

/// Get a worksite
///
/// Returns the worksite with its current boundary, time zone and project.
#[web::operation(
    get, path = "/api/v1/worksites/{id}", tag = "worksites", operation_id = "get_worksite",
    params(
        ("id" = i64, Path, description = "Identifier of the worksite"),
        ("If-None-Match" = Option<String>, Header, description = "ETag of the copy you have; the answer is 304 if it is still current"),
    ),
    responses(
        (status = 200, description = "The worksite", body = Worksite, headers(("ETag" = String, description = "Version of the resource"))),
        (status = 304, description = "Not modified: your copy is current"),
        problem::NotFound,
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
