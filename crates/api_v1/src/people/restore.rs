//! POST /api/v1/people/{id}/restore

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::PersonId;
use domain::access::WriteRegistry;
use web::{Caller, NoParams, PathId, Result, problem};

use super::{Person, shape};

/// Restore an archived person
///
/// The operation is idempotent.
///
/// Fails with 403 `restricted` if your access is restricted to projects and everything known about the person lies outside them.
#[web::operation(
    post, path = "/api/v1/people/{id}/restore", tag = "people", operation_id = "restore_person",
    params(("id" = i64, Path, description = "Identifier of the person")),
    responses(
        (status = 200, description = "The restored person", body = Person, headers(("ETag" = String, description = "Version of the resource"))),
        problem::NotFound, problem::Conflict,
    ),
)]
pub async fn restore_person(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<WriteRegistry>,
    PathId(id): PathId,
    _: NoParams,
) -> Result {
    let person = app.restore_person(&caller.editor(), PersonId(id)).await?;
    let version = person.version;
    Ok(web::with_etag(web::json_response(&shape(person)), version, None))
}
