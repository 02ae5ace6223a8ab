//! POST /api/v1/people/{id}/archive

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::PersonId;
use domain::access::WriteRegistry;
use web::{Caller, NoParams, PathId, Result, problem};

use super::{Person, shape};

/// Archive a person
///
/// The person's visit and tag assignments end. The operation is idempotent.
///
/// Fails with 403 `restricted` if your access is restricted to projects and everything known about the person lies outside them.
#[web::operation(
    post, path = "/api/v1/people/{id}/archive", tag = "people", operation_id = "archive_person",
    params(("id" = i64, Path, description = "Identifier of the person")),
    responses(
        (status = 200, description = "The archived person", body = Person, headers(("ETag" = String, description = "Version of the resource"))),
        problem::NotFound,
    ),
)]
pub async fn archive_person(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<WriteRegistry>,
    PathId(id): PathId,
    _: NoParams,
) -> Result {
    let person = app.archive_person(&caller.editor(), PersonId(id)).await?;
    let version = person.version;
    Ok(web::with_etag(web::json_response(&shape(person)), version, None))
}
