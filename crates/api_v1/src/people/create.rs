//! POST /api/v1/people

use std::sync::Arc;

use app::{App, Idempotent};
use axum::extract::State;
use domain::access::WriteRegistry;
use domain::{EmailAddress, Name, PersonKind};
use web::{Caller, IdempotentBody, NoParams, Result, enum_schemas, problem};

use super::{Person, shape};

/// Fields of a new person.
#[web::body(into = domain::NewPerson)]
pub struct NewPerson {
    /// Whether the person is staff or a visitor.
    #[schema(value_type = enum_schemas::PersonKind, example = "staff")]
    kind: PersonKind,
    /// Name of the person.
    #[schema(example = "Ada Lovelace", min_length = 1, max_length = 100)]
    name: Name,
    /// Number that the employer gave to the person.
    #[schema(example = "E-1815", min_length = 1, max_length = 100)]
    employee_id: Option<Name>,
    /// Email address of the person.
    #[schema(example = "ada@example.com", format = "email", max_length = 254)]
    email: Option<EmailAddress>,
    /// Company that the person works for.
    #[schema(example = "Analytical Engines", min_length = 1, max_length = 100)]
    company: Option<Name>,
}

/// Add a person
///
/// Adds a member of staff or a visitor. Two people who are not archived may share an employee id only if the brand allows it.
#[web::operation(
    post, path = "/api/v1/people", tag = "people", operation_id = "create_person",
    request_body = NewPerson,
    responses(
        (status = 201, description = "The new person", body = Person),
        problem::BadBody,
    ),
)]
pub async fn create_person(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<WriteRegistry>,
    _: NoParams,
    IdempotentBody { value: new, key }: IdempotentBody<NewPerson>,
) -> Result {
    let once = Idempotent::new(key, |person: &domain::Person| {
        web::created_to_store(format!("/api/v1/people/{}", person.id), &shape(person.clone()))
            .with_version(person.version)
    });
    let new = domain::NewPerson::from(new);
    Ok(web::render_stored(app.create_person(&caller.editor(), &new, once).await?))
}
