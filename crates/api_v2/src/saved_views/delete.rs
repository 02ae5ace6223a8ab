//! DELETE /api/v2/saved_views/{id}

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::SavedViewId;
use domain::access::ReadInsights;
use web::{Caller, IfMatchHeader, NoParams, PathId, Result, ToSchema, json_api_errors};

use crate::json_api::{self, Negotiated};
use crate::openapi_document::JsonApi;

/// Result of deleting a saved view.
#[web::answer]
pub struct DeletedSavedViewMeta {
    /// Always `true`: the view is deleted.
    deleted: bool,
}

/// Document about a deleted saved view.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the answer for OpenAPI")]
pub struct DeletedSavedViewDocument {
    /// Version of JSON:API that the document follows.
    jsonapi: JsonApi,
    /// Result of the deletion.
    meta: DeletedSavedViewMeta,
}

/// Delete a saved view
///
/// You can delete your own views; those who manage the brand can also delete views that others shared. Answers 403 `restricted` if
/// your access is restricted to projects and the person who shared the view can see more than you.
#[web::operation(
    delete, path = "/api/v2/saved_views/{id}", tag = "saved views", operation_id = "delete_saved_view",
    params(
        ("id" = String, Path, description = "Id of the saved view."),
        ("If-Match" = Option<String>, Header, description = "ETag of the version you read; 412 if the view has changed since."),
    ),
    responses(
        (status = 200, description = "The view was deleted.", body = DeletedSavedViewDocument,
            content_type = "application/vnd.api+json"),
        json_api_errors::BadParams, json_api_errors::NotFound, json_api_errors::PreconditionFailed,
        json_api_errors::NegotiationFailed,
    ),
)]
pub async fn delete_saved_view(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadInsights>,
    _: Negotiated,
    PathId(id): PathId,
    IfMatchHeader(if_match): IfMatchHeader,
    _: NoParams,
) -> Result {
    app.delete_saved_view(&caller, SavedViewId(id), &if_match).await?;
    Ok(json_api::meta_only(&DeletedSavedViewMeta { deleted: true }))
}
