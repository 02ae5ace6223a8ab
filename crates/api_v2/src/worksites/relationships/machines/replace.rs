//! PATCH /api/v2/worksites/{id}/relationships/machines

use std::sync::Arc;

use app::{App, LinkEdit};
use axum::extract::State;
use domain::WorksiteId;
use domain::access::WriteRegistry;
use web::{Caller, DeferredBody, NoParams, PathId, Result, json_api_errors};

use super::{MachineLinks, MachineLinksRequest, edit};
use crate::json_api::{DocumentQuery, Negotiated};

/// Replace the machines of a worksite
///
/// The change applies from now on, and the assignments of other machines end. Refused if the worksite has more than a hundred
/// machines. Answers 403 `restricted` if your access is restricted to projects and the change would affect data outside of them or leave a
/// machine without a worksite.
#[web::operation(
    patch, path = "/api/v2/worksites/{id}/relationships/machines", tag = "worksites", operation_id = "replace_machine_links",
    params(("id" = String, Path, description = "Id of the worksite.")),
    request_body(content = MachineLinksRequest, content_type = "application/vnd.api+json"),
    responses(
        (status = 200, description = "Exactly these machines are assigned to the worksite; the first page of the linkage.", body = MachineLinks,
            content_type = "application/vnd.api+json"),
        json_api_errors::BadBody, json_api_errors::NotFound, json_api_errors::Conflict,
        json_api_errors::NegotiationFailed,
    ),
)]
pub async fn replace_machine_links(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<WriteRegistry>,
    _: Negotiated,
    PathId(id): PathId,
    query: DocumentQuery<NoParams>,
    body: DeferredBody,
) -> Result {
    edit(&app, &caller, WorksiteId(id), LinkEdit::Replace, &query, body).await
}
