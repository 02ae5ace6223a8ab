//! POST /api/v1/machines/{id}/restore

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::MachineId;
use domain::access::WriteRegistry;
use web::{Caller, IfMatchHeader, NoParams, PathId, Result, problem};

use super::{Machine, shape};

/// Brings an archived machine back, at no site. Doing so twice is fine.
///
/// 403 `restricted` if you are restricted to projects and it would change what happened outside of them.
#[utoipa::path(
    post, path = "/api/v1/machines/{id}/restore", tag = "machines", operation_id = "restore_machine",
    security(("session" = [])),
    params(
        ("id" = i64, Path, description = "The machine's id"),
        ("If-Match" = Option<String>, Header, description = "The ETag you read; 412 if it was changed since"),
    ),
    extensions(("x-permission" = json!("write_registry"))),
    responses(
        (status = 200, description = "Restored", body = Machine, headers(("ETag" = String, description = "Its version"))),
        problem::Unauthenticated, problem::Forbidden, problem::NotFound, problem::PreconditionFailed,
    ),
)]
pub async fn restore_machine(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<WriteRegistry>,
    PathId(id): PathId,
    IfMatchHeader(if_match): IfMatchHeader,
    _: NoParams,
) -> Result {
    let machine = app.restore_machine(&caller, MachineId(id), &if_match).await?;
    let version = machine.version;
    Ok(web::with_etag(web::json_response(&shape(machine)), version, None))
}
