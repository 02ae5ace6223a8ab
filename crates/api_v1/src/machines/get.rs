//! GET /api/v1/machines/{id}

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::MachineId;
use domain::access::ReadRegistry;
use web::{Caller, NoParams, PathId, Result, problem};

use super::{Machine, shape};

/// Get a machine
///
/// The `ETag` is for changing the machine. The names of its worksite and base station may change without a new `ETag`.
#[web::operation(
    get, path = "/api/v1/machines/{id}", tag = "machines", operation_id = "get_machine",
    params(("id" = i64, Path, description = "Identifier of the machine")),
    responses(
        (status = 200, description = "The machine", body = Machine, headers(("ETag" = String, description = "Version of the resource"))),
        problem::NotFound,
    ),
)]
pub async fn get_machine(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadRegistry>,
    PathId(id): PathId,
    _: NoParams,
) -> Result {
    let machine = app.find_machine(&caller, MachineId(id)).await?;
    let version = machine.version;
    Ok(web::with_etag(web::json_response(&shape(machine)), version, None))
}
