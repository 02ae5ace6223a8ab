//! GET /api/v2/saved_views/{id}

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::SavedViewId;
use domain::access::ReadInsights;
use web::{Caller, IfNoneMatchHeader, PathId, Result, json_api_errors};

use super::{SavedView, object};
use crate::json_api::{self, DocumentOf, DocumentQuery, Included, Negotiated, ResourceParams};

type SavedViewReading = ResourceParams<SavedView>;
type SavedViewDocument = DocumentOf<SavedView>;

/// Get a saved view
///
/// Returns one of your own views, or one that someone in your brand shares.
#[web::operation(
    get, path = "/api/v2/saved_views/{id}", tag = "saved views", operation_id = "get_saved_view",
    params(
        ("id" = String, Path, description = "Id of the saved view."),
        ("If-None-Match" = Option<String>, Header, description = "ETag of the version you have; 304 if it is still current."),
        SavedViewReading,
    ),
    responses(
        (status = 200, description = "The view.", body = SavedViewDocument, content_type = "application/vnd.api+json",
            headers(("ETag" = String, description = "Version of the view."))),
        (status = 304, description = "The version you have is still current."),
        json_api_errors::BadParams, json_api_errors::NotFound, json_api_errors::NegotiationFailed,
    ),
)]
pub async fn get_saved_view(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadInsights>,
    _: Negotiated,
    PathId(id): PathId,
    if_none_match: IfNoneMatchHeader,
    query: DocumentQuery<SavedViewReading>,
) -> Result {
    let view = app.find_saved_view(&caller, SavedViewId(id)).await?;
    let version = view.version;
    let if_none_match = query.params.include.if_none_match(if_none_match);
    let answer = json_api::resource_response(&query, object(view), Included::default());
    Ok(web::with_etag(answer, version, if_none_match.as_ref()))
}
