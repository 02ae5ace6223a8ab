//! GET /api/v2/worksites/{id}

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::WorksiteId;
use domain::access::ReadRegistry;
use web::{Caller, IfNoneMatchHeader, PathId, Result, json_api_errors};

use super::{Worksite, object_with_included};
use crate::json_api::{self, DocumentOf, DocumentQuery, Included, Negotiated, ResourceParams};

type WorksiteReading = ResourceParams<Worksite>;
type WorksiteDocument = DocumentOf<Worksite>;

/// Get a worksite
///
/// Returns the worksite as it is now.
#[web::operation(
    get, path = "/api/v2/worksites/{id}", tag = "worksites", operation_id = "get_worksite",
    params(
        ("id" = String, Path, description = "Id of the worksite."),
        ("If-None-Match" = Option<String>, Header, description = "ETag of the version you have; 304 if it is still current."),
        WorksiteReading,
    ),
    responses(
        (status = 200, description = "The worksite.", body = WorksiteDocument, content_type = "application/vnd.api+json",
            headers(("ETag" = String, description = "Version of the worksite."))),
        (status = 304, description = "The version you have is still current."),
        json_api_errors::BadParams, json_api_errors::NotFound, json_api_errors::NegotiationFailed,
    ),
)]
pub async fn get_worksite(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadRegistry>,
    _: Negotiated,
    PathId(id): PathId,
    if_none_match: IfNoneMatchHeader,
    query: DocumentQuery<WorksiteReading>,
) -> Result {
    let include = &query.params.include;
    let site = app.find_worksite(&caller, WorksiteId(id)).await?;
    let version = site.version;
    let mut included = Included::default();
    let object = object_with_included(&app, &caller, site, include, &mut included).await?;
    let if_none_match = include.if_none_match(if_none_match);
    Ok(web::with_etag(json_api::resource_response(&query, object, included), version, if_none_match.as_ref()))
}
