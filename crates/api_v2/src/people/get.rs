//! GET /api/v2/people/{id}

use std::sync::Arc;

use app::{App, Names};
use axum::extract::State;
use domain::PersonId;
use domain::access::ReadRegistry;
use web::{Caller, IfNoneMatchHeader, PathId, Result, json_api_errors};

use super::Person;
use super::documents::objects;
use crate::json_api::{self, DocumentOf, DocumentQuery, Included, Negotiated, ResourceParams};

type PersonReading = ResourceParams<Person>;
type PersonDocument = DocumentOf<Person>;

/// Get a person
///
/// Names, numbers and addresses are left out for callers who may not see names.
#[web::operation(
    get, path = "/api/v2/people/{id}", tag = "people", operation_id = "get_person",
    params(
        ("id" = String, Path, description = "Id of the person."),
        ("If-None-Match" = Option<String>, Header, description = "ETag of the version you have; 304 if it is still current."),
        PersonReading,
    ),
    responses(
        (status = 200, description = "The person.", body = PersonDocument, content_type = "application/vnd.api+json",
            headers(("ETag" = String, description = "Version of the person; only for callers who may see names."))),
        (status = 304, description = "The version you have is still current."),
        json_api_errors::BadParams, json_api_errors::NotFound, json_api_errors::NegotiationFailed,
    ),
)]
pub async fn get_person(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadRegistry>,
    _: Negotiated,
    PathId(id): PathId,
    if_none_match: IfNoneMatchHeader,
    query: DocumentQuery<PersonReading>,
) -> Result {
    let include = &query.params.include;
    let person = app.find_person(&caller.reader(), PersonId(id)).await?;
    let version = person.version;
    let mut included = Included::default();
    let object = objects(&app, &caller, vec![person], include, &mut included).await?.pop();
    let answer = json_api::related_response(&query, object, included);
    Ok(match caller.names() {
        Names::Shown => web::with_etag(answer, version, include.if_none_match(if_none_match).as_ref()),
        // A version has two representations, with and without the name, but only one ETag; so no ETag is sent without names.
        Names::Hidden => answer,
    })
}
