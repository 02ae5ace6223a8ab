//! POST /api/v1/tester/people_assets

use std::sync::Arc;

use app::{App, Idempotent};
use axum::extract::State;
use web::{IdempotentBody, NoParams, Result, Tester, problem};

use crate::people::{NewPerson, Person, shape};

/// Add a person
///
/// The person is added to the brand of the device.
#[web::operation(
    post, path = "/api/v1/tester/people_assets", tag = "tester", operation_id = "create_person_asset",
    request_body = NewPerson,
    responses(
        (status = 201, description = "The new person", body = Person),
        problem::BadBody,
    ),
)]
pub async fn create_person_asset(
    State(app): State<Arc<App>>,
    Tester(tester): Tester,
    _: NoParams,
    IdempotentBody { value: new, key }: IdempotentBody<NewPerson>,
) -> Result {
    let once = Idempotent::new(key, |person: &domain::Person| {
        web::created_to_store(format!("/api/v1/tester/people_assets/{}", person.id), &shape(person.clone()))
            .with_version(person.version)
    });
    let new = domain::NewPerson::from(new);
    Ok(web::render_stored(app.create_person(&tester.editor(), &new, once).await?))
}
