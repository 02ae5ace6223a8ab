//! GET /api/v2/people

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::Listing;
use domain::access::ReadRegistry;
use web::{Caller, Result, json_api_errors};

use super::Person;
use super::documents::objects;
use crate::json_api::{
    self, CollectionParams, DocumentQuery, Included, ListOf, Negotiated, with_cursor_parameter,
};

type PersonListing = CollectionParams<Person>;
type PersonList = ListOf<Person>;

/// List people
///
/// People belong to the brand, so you see them whatever your projects. Callers who may not see names find them by their ids.
#[web::operation(
    get, path = "/api/v2/people", tag = "people", operation_id = "list_people",
    params(PersonListing),
    responses(
        (status = 200, description = "A page of people.", body = PersonList, content_type = "application/vnd.api+json"),
        json_api_errors::BadParams, json_api_errors::NegotiationFailed,
    ),
)]
pub async fn list_people(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadRegistry>,
    _: Negotiated,
    query: DocumentQuery<PersonListing>,
) -> Result {
    let CollectionParams { filter, window, include, .. } = &query.params;
    let found = app.list_people(&caller.reader(), filter, &query.params.request()).await;
    let Listing { rows, previous, next, total, changes } =
        found.map_err(|error| with_cursor_parameter(error, &window.position))?;
    let mut included = Included::default();
    let rows = objects(&app, &caller, rows, include, &mut included).await?;
    Ok(json_api::listing_response(&query, &Listing { rows, previous, next, total, changes }, included))
}
