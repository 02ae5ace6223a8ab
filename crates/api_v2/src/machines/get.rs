//! GET /api/v2/machines/{id}

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::MachineId;
use domain::access::ReadRegistry;
use web::{Caller, IfNoneMatchHeader, PathId, Result, json_api_errors};

use super::{Machine, objects};
use crate::json_api::{self, DocumentOf, DocumentQuery, Included, Negotiated, ResourceParams};

type MachineReading = ResourceParams<Machine>;
type MachineDocument = DocumentOf<Machine>;

/// Get a machine
///
/// Returns the machine, archived or not, if you can see it.
#[web::operation(
    get, path = "/api/v2/machines/{id}", tag = "machines", operation_id = "get_machine",
    params(
        ("id" = String, Path, description = "Id of the machine."),
        ("If-None-Match" = Option<String>, Header, description = "ETag of the version you have; 304 if it is still current."),
        MachineReading,
    ),
    responses(
        (status = 200, description = "The machine.", body = MachineDocument, content_type = "application/vnd.api+json",
            headers(("ETag" = String, description = "Version of the machine."))),
        (status = 304, description = "The version you have is still current."),
        json_api_errors::BadParams, json_api_errors::NotFound, json_api_errors::NegotiationFailed,
    ),
)]
pub async fn get_machine(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadRegistry>,
    _: Negotiated,
    PathId(id): PathId,
    if_none_match: IfNoneMatchHeader,
    query: DocumentQuery<MachineReading>,
) -> Result {
    let include = &query.params.include;
    let machine = app.find_machine(&caller, MachineId(id)).await?;
    let version = machine.version;
    let mut included = Included::default();
    let object = objects(&app, &caller, vec![machine], include, &mut included).await?.pop();
    let if_none_match = include.if_none_match(if_none_match);
    Ok(web::with_etag(json_api::related_response(&query, object, included), version, if_none_match.as_ref()))
}
