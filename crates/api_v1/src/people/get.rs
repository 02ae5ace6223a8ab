//! GET /api/v1/people/{id}

use std::sync::Arc;

use app::{App, Names};
use axum::extract::State;
use domain::PersonId;
use domain::access::ReadRegistry;
use web::{Caller, IfNoneMatchHeader, NoParams, PathId, Result, problem};

use super::{Person, shape};

/// One person.
#[utoipa::path(
    get, path = "/api/v1/people/{id}", tag = "people", operation_id = "get_person", security(("session" = [])),
    params(
        ("id" = i64, Path, description = "The person's id"),
        ("If-None-Match" = Option<String>, Header, description = "The ETag you have; 304 if it is still the same"),
    ),
    responses(
        (status = 200, description = "The person", body = Person,
            headers(("ETag" = String, description = "Their version; only for those who see names"))),
        (status = 304, description = "You have it already"),
        problem::Unauthenticated, problem::NotFound,
    ),
)]
pub async fn get_person(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadRegistry>,
    PathId(id): PathId,
    if_none_match: IfNoneMatchHeader,
    _: NoParams,
) -> Result {
    let person = app.find_person(&caller.reader(), PersonId(id)).await?;
    let version = person.version;
    let answer = web::json_response(&shape(person));
    Ok(match caller.names() {
        Names::Shown => web::with_etag(answer, version, Some(&if_none_match)),
        // A version has two forms, with the name and without; only one of them may be compared.
        Names::Hidden => answer,
    })
}
