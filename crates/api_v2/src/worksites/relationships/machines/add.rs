//! POST /api/v2/worksites/{id}/relationships/machines

use std::sync::Arc;

use app::{App, LinkEdit};
use axum::extract::State;
use domain::access::WriteRegistry;
use domain::{MachineId, WorksiteId};
use web::{Caller, NoParams, PathId, Result, Unread, json_api};

use crate::document::{self, Negotiated, Payload, SentLinksTo, about_linkage};
use crate::machines::{self, Machine};

type SentMachineLinks = SentLinksTo<Machine>;

/// Sends machines to a worksite, from now on. One that is there already stays.
#[utoipa::path(
    post, path = "/api/v2/worksites/{id}/relationships/machines", tag = "worksites", operation_id = "add_machine_links",
    security(("jwt" = [])),
    params(("id" = String, Path, description = "The worksite's id")),
    request_body(content = SentMachineLinks, content_type = "application/vnd.api+json"),
    extensions(("x-permission" = json!("write_registry"))),
    responses(
        (status = 204, description = "It is so"),
        json_api::BadBody, json_api::Unauthenticated, json_api::Forbidden, json_api::NotFound, json_api::Conflict,
        json_api::NotNegotiable,
    ),
)]
pub async fn add_machine_links(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<WriteRegistry>,
    _: Negotiated,
    PathId(id): PathId,
    _: NoParams,
    body: Unread,
) -> Result {
    app.check_worksite(&caller, WorksiteId(id)).await?;
    let ids = body.read::<Payload>().await?.into_many(machines::SHAPE.kind)?;
    let ids: Vec<_> = ids.into_iter().map(MachineId).collect();
    let edited = app.edit_machines_at_worksite(&caller, WorksiteId(id), LinkEdit::Add, &ids).await;
    edited.map_err(about_linkage)?;
    Ok(document::done())
}
