//! POST /api/v1/people/{id}/erase

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::PersonId;
use domain::access::ErasePeople;
use web::{Caller, NoParams, PathId, Result, problem};

use super::{Person, shape};

/// Erase a person
///
/// Removes everything that names the person, permanently and everywhere. Counts are not affected. The operation is idempotent and cannot
/// be undone.
///
/// Fails with 403 `restricted` if your access is restricted to projects and anything known about the person lies outside them.
#[web::operation(
    post, path = "/api/v1/people/{id}/erase", tag = "people", operation_id = "erase_person",
    params(("id" = i64, Path, description = "Identifier of the person")),
    responses(
        (status = 200, description = "The erased person", body = Person, headers(("ETag" = String, description = "Their version"))),
        problem::NotFound,
    ),
)]
pub async fn erase_person(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ErasePeople>,
    PathId(id): PathId,
    _: NoParams,
) -> Result {
    let person = app.erase_person(&caller, PersonId(id)).await?;
    let version = person.version;
    Ok(web::with_etag(web::json_response(&shape(person)), version, None))
}
