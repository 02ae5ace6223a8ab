//! POST /api/v1/machines/{id}/restore

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::MachineId;
use domain::access::WriteRegistry;
use web::{Caller, IfMatchHeader, NoParams, PathId, Result, problem};

use super::{Machine, shape};

/// Restore an archived machine
///
/// The machine is restored without a worksite. The operation is idempotent.
///
/// Fails with 403 `restricted` if your access is restricted to projects and the change would affect records outside them.
#[web::operation(
    post, path = "/api/v1/machines/{id}/restore", tag = "machines", operation_id = "restore_machine",
    params(
        ("id" = i64, Path, description = "Identifier of the machine"),
        ("If-Match" = Option<String>, Header, description = "ETag of the version you have read; the answer is 412 if it has changed since"),
    ),
    responses(
        (status = 200, description = "The restored machine", body = Machine, headers(("ETag" = String, description = "Version of the resource"))),
        problem::NotFound, problem::PreconditionFailed,
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
