//! POST /api/v1/tester/people_assets

use std::sync::Arc;

use app::{App, Once};
use axum::extract::State;
use web::{Creation, NoParams, Repeatable, Result, Tester, problem};

use crate::people::create::{NewPerson, NewPersonFields};
use crate::people::{Person, shape};

/// Adds a person to the device's brand.
#[utoipa::path(
    post, path = "/api/v1/tester/people_assets", tag = "tester", operation_id = "create_person_asset",
    security(("tester_token" = [])),
    params(Repeatable),
    request_body = NewPerson,
    responses(
        (status = 201, description = "Added", body = Person),
        problem::BadBody, problem::Unauthenticated,
    ),
)]
pub async fn create_person_asset(
    State(app): State<Arc<App>>,
    Tester(tester): Tester,
    _: NoParams,
    Creation { value: NewPersonFields(new), key }: Creation<NewPersonFields>,
) -> Result {
    let once = Once::new(key, |person: &store::Person| {
        web::made(format!("/api/v1/tester/people_assets/{}", person.id), &shape(person.clone()))
    });
    Ok(web::reply(app.create_person(&tester.hand(), &new, once).await?))
}
