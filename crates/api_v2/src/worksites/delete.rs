//! DELETE /api/v2/worksites/{id}

use std::sync::Arc;

use app::{App, Deletion};
use axum::extract::State;
use domain::WorksiteId;
use domain::access::WriteRegistry;
use web::{Caller, IfMatchHeader, NoParams, PathId, Result, ToSchema, json_api_errors};

use crate::json_api::{self, Negotiated};
use crate::openapi_document::JsonApi;

/// Result of deleting a worksite.
#[web::answer]
pub struct DeletedWorksiteMeta {
    /// `true` if the worksite had no history and was deleted; `false` if it has history and was archived.
    deleted: bool,
}

/// Document about a deleted or archived worksite.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the answer for OpenAPI")]
pub struct DeletedWorksiteDocument {
    /// Version of JSON:API that the document follows.
    jsonapi: JsonApi,
    /// Result of the deletion.
    meta: DeletedWorksiteMeta,
}

/// Delete or archive a worksite
///
/// A worksite with history (a machine, a visit or a tester device was ever there) is archived instead, and the assignments of its
/// machines end. Answers 403 `restricted` if your access is restricted to projects and the change would affect data outside of them.
#[web::operation(
    delete, path = "/api/v2/worksites/{id}", tag = "worksites", operation_id = "delete_worksite",
    params(
        ("id" = String, Path, description = "Id of the worksite."),
        ("If-Match" = Option<String>, Header, description = "ETag of the version you read; 412 if the worksite has changed since."),
    ),
    responses(
        (status = 200, description = "The worksite was deleted or archived.", body = DeletedWorksiteDocument,
            content_type = "application/vnd.api+json"),
        json_api_errors::BadParams, json_api_errors::NotFound, json_api_errors::PreconditionFailed,
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
