//! DELETE /api/v2/worksites/{id}/relationships/machines

use std::sync::Arc;

use app::{App, LinkEdit};
use axum::extract::State;
use domain::WorksiteId;
use domain::access::WriteRegistry;
use web::{Caller, DeferredBody, NoParams, PathId, Result, json_api_errors};

use super::{MachineLinksRequest, edit};
use crate::json_api::Negotiated;

/// Sends machines away from a worksite. One that is not there is passed over.
///
/// 403 `restricted` if you are restricted to projects and it would change what happened outside of them.
#[utoipa::path(
    delete, path = "/api/v2/worksites/{id}/relationships/machines", tag = "worksites", operation_id = "remove_machine_links",
    security(("jwt" = [])),
    params(("id" = String, Path, description = "The worksite's id")),
    request_body(content = MachineLinksRequest, content_type = "application/vnd.api+json"),
    extensions(("x-permission" = json!("write_registry"))),
    responses(
        (status = 204, description = "It is so"),
        json_api_errors::BadBody, json_api_errors::Unauthenticated, json_api_errors::Forbidden, json_api_errors::NotFound, json_api_errors::Conflict,
        json_api_errors::NegotiationFailed,
    ),
)]
pub async fn remove_machine_links(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<WriteRegistry>,
    _: Negotiated,
    PathId(id): PathId,
    _: NoParams,
    body: DeferredBody,
) -> Result {
    edit(&app, &caller, WorksiteId(id), LinkEdit::Remove, body).await
}
