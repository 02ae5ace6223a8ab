//! POST /api/v1/people/{id}/erase

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::PersonId;
use domain::access::ErasePeople;
use web::{Caller, NoParams, PathId, Result, problem};

use super::{Person, shape};

/// Makes a person nameless for ever, everywhere; counts stay. It cannot be undone. Doing so twice is fine.
///
/// 403 `restricted` if you are restricted to projects and anything known of the person lies outside of them.
#[utoipa::path(
    post, path = "/api/v1/people/{id}/erase", tag = "people", operation_id = "erase_person",
    security(("session" = [])),
    params(("id" = i64, Path, description = "The person's id")),
    extensions(("x-permission" = json!("erase_people"))),
    responses(
        (status = 200, description = "What is left of them", body = Person, headers(("ETag" = String, description = "Their version"))),
        problem::Unauthenticated, problem::Forbidden, problem::NotFound,
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
