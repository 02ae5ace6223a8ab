//! DELETE /api/v2/worksites/{id}

use std::sync::Arc;

use app::{App, Deletion};
use axum::extract::State;
use domain::WorksiteId;
use domain::access::WriteRegistry;
use serde::Serialize;
use utoipa::ToSchema;
use web::{Caller, IfMatchHeader, NoParams, PathId, Result, json_api_errors};

use crate::json_api::{self, Negotiated};
use crate::openapi_document::JsonApi;

/// What became of it.
#[derive(Serialize, ToSchema)]
pub struct DeletedWorksiteMeta {
    /// `true` if it had no history and is gone; `false` if it has some and was archived.
    deleted: bool,
}

/// A document about a worksite that was deleted.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the answer for OpenAPI")]
pub struct DeletedWorksiteDocument {
    jsonapi: JsonApi,
    meta: DeletedWorksiteMeta,
}

/// Deletes a worksite. One with history (a machine, a visit or a tester device was ever there) is archived instead, and its
/// machines are sent away.
///
/// 403 `restricted` if you are restricted to projects and it would change what happened outside of them.
#[utoipa::path(
    delete, path = "/api/v2/worksites/{id}", tag = "worksites", operation_id = "delete_worksite",
    security(("jwt" = [])),
    params(
        ("id" = String, Path, description = "The worksite's id"),
        ("If-Match" = Option<String>, Header, description = "The ETag you read; 412 if it was changed since"),
    ),
    extensions(("x-permission" = json!("write_registry"))),
    responses(
        (status = 200, description = "What became of it", body = DeletedWorksiteDocument,
            content_type = "application/vnd.api+json"),
        json_api_errors::BadParams, json_api_errors::Unauthenticated, json_api_errors::Forbidden, json_api_errors::NotFound, json_api_errors::PreconditionFailed,
        json_api_errors::NegotiationFailed,
    ),
)]
pub async fn delete_worksite(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<WriteRegistry>,
    _: Negotiated,
    PathId(id): PathId,
    IfMatchHeader(if_match): IfMatchHeader,
    _: NoParams,
) -> Result {
    let deletion = app.delete_worksite(&caller, WorksiteId(id), &if_match).await?;
    Ok(json_api::meta_only(&DeletedWorksiteMeta { deleted: matches!(deletion, Deletion::Deleted(_)) }))
}
