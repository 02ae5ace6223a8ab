//! GET /api/v1/tester/people_assets/{id}

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::PersonId;
use web::{NoParams, PathId, Result, Tester, problem};

use crate::people::{Person, shape};

/// Get a person of the device's brand
///
/// Returns the person, staff or a visitor, archived or not. People of other brands do not exist for the device.
#[web::operation(
    get, path = "/api/v1/tester/people_assets/{id}", tag = "tester", operation_id = "get_person_asset",
    params(("id" = i64, Path, description = "Identifier of the person")),
    responses(
        (status = 200, description = "The person", body = Person, headers(("ETag" = String, description = "Version of the resource"))),
        problem::NotFound,
    ),
)]
pub async fn get_person_asset(
    State(app): State<Arc<App>>,
    Tester(tester): Tester,
    PathId(id): PathId,
    _: NoParams,
) -> Result {
    let person = app.find_person(&tester.reader(), PersonId(id)).await?;
    let version = person.version;
    Ok(web::with_etag(web::json_response(&shape(person)), version, None))
}
