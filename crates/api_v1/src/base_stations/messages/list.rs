//! GET /api/v1/base_stations/{id}/messages

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::BaseStationId;
use domain::access::ReadRegistry;
use web::{Caller, List, ListParams, Params, PathId, Result, problem};

use super::{Message, shape};

pub type MessageList = List<Message>;

/// List messages to a base station
///
/// The newest messages come first. If your access is restricted to projects, only messages that were sent while the base station was in
/// these projects are listed.
#[web::operation(
    get, path = "/api/v1/base_stations/{id}/messages", tag = "base stations", operation_id = "list_messages",
    params(("id" = i64, Path, description = "Identifier of the base station"), ListParams),
    responses(
        (status = 200, description = "A page of messages", body = MessageList),
        problem::BadParams, problem::NotFound,
    ),
)]
pub async fn list_messages(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadRegistry>,
    PathId(id): PathId,
    Params(list): Params<ListParams>,
) -> Result {
    let found = app.list_messages(&caller, BaseStationId(id), &list.page(), list.include_total).await?;
    let now = app.clock.now();
    Ok(web::list_response(&list, found, |message| shape(message, now)))
}
