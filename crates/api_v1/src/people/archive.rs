//! POST /api/v1/people/{id}/archive

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::PersonId;
use domain::access::WriteRegistry;
use web::{Caller, NoParams, PathId, Result, problem};

use super::{Person, shape};

/// Archives a person: their visit and their assignments end. Doing so twice is fine.
///
/// 403 `restricted` if you are restricted to projects and everything known of the person lies outside of them.
#[utoipa::path(
    post, path = "/api/v1/people/{id}/archive", tag = "people", operation_id = "archive_person",
    security(("session" = [])),
    params(("id" = i64, Path, description = "The person's id")),
    extensions(("x-permission" = json!("write_registry"))),
    responses(
        (status = 200, description = "Archived", body = Person, headers(("ETag" = String, description = "Their version"))),
        problem::Unauthenticated, problem::Forbidden, problem::NotFound,
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
