//! DELETE /api/v2/saved_views/{id}

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::SavedViewId;
use domain::access::ReadInsights;
use serde::Serialize;
use utoipa::ToSchema;
use web::{Caller, IfMatchHeader, NoParams, PathId, Result, json_api_errors};

use crate::json_api::{self, Negotiated};
use crate::openapi_document::JsonApi;

/// What became of it.
#[derive(Serialize, ToSchema)]
pub struct DeletedSavedViewMeta {
    /// `true`: it is gone.
    deleted: bool,
}

/// A document about a view that was deleted.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the answer for OpenAPI")]
pub struct DeletedSavedViewDocument {
    jsonapi: JsonApi,
    meta: DeletedSavedViewMeta,
}

/// Deletes one of your views. Those who manage the brand delete what others shared, too.
///
/// 403 `restricted` if you are restricted to projects and whoever shared it sees more than you.
#[utoipa::path(
    delete, path = "/api/v2/saved_views/{id}", tag = "saved views", operation_id = "delete_saved_view",
    security(("jwt" = [])),
    params(
        ("id" = String, Path, description = "The view's id"),
        ("If-Match" = Option<String>, Header, description = "The ETag you read; 412 if it was changed since"),
    ),
    extensions(("x-permission" = json!("read_insights"))),
    responses(
        (status = 200, description = "It is gone", body = DeletedSavedViewDocument,
            content_type = "application/vnd.api+json"),
        json_api_errors::BadParams, json_api_errors::Unauthenticated, json_api_errors::Forbidden, json_api_errors::NotFound, json_api_errors::PreconditionFailed,
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
