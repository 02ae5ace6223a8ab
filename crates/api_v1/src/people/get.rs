//! GET /api/v1/people/{id}

use std::sync::Arc;

use app::{App, Names};
use axum::extract::State;
use domain::PersonId;
use domain::access::ReadRegistry;
use web::{Caller, IfNoneMatchHeader, NoParams, PathId, Result, problem};

use super::{Person, shape};

/// Get a person
///
/// Names, numbers and addresses are left out for callers who may not see names.
#[web::operation(
    get, path = "/api/v1/people/{id}", tag = "people", operation_id = "get_person",
    params(
        ("id" = i64, Path, description = "Identifier of the person"),
        ("If-None-Match" = Option<String>, Header, description = "ETag of the copy you have; the answer is 304 if it is still current"),
    ),
    responses(
        (status = 200, description = "The person", body = Person,
            headers(("ETag" = String, description = "Version of the resource; only for callers who may see names"))),
        (status = 304, description = "Not modified: your copy is current"),
        problem::NotFound,
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
        // A version has two representations, with and without the name, but only one ETag; so no ETag is sent without names.
        Names::Hidden => answer,
    })
}
