//! POST /api/v2/people

use std::sync::Arc;

use app::{App, Idempotent};
use axum::extract::State;
use domain::access::WriteRegistry;
use domain::{EmailAddress, Name, PersonKind};
use web::{Caller, FromFields, IdempotentBody, NoParams, Result, enum_schemas, json_api_errors};

use super::{DEFINITION, Person, object};
use crate::json_api::{self, DocumentOf, Negotiated, NewOf, Payload, Target, with_pointers};

/// Attributes of a new person.
#[web::body(into = domain::NewPerson)]
#[schema(as = NewPersonAttributes)]
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

type NewPersonDocument = NewOf<Person>;
type PersonDocument = DocumentOf<Person>;

/// Add a person
///
/// Adds a member of staff or a visitor. Two people who are not archived may share an employee id only if the brand allows it.
#[web::operation(
    post, path = "/api/v2/people", tag = "people", operation_id = "create_person",
    request_body(content = NewPersonDocument, content_type = "application/vnd.api+json"),
    responses(
        (status = 201, description = "The person was added.", body = PersonDocument, content_type = "application/vnd.api+json"),
        json_api_errors::BadBody, json_api_errors::Conflict, json_api_errors::NegotiationFailed,
    ),
)]
pub async fn create_person(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<WriteRegistry>,
    _: Negotiated,
    _: NoParams,
    IdempotentBody { value, key }: IdempotentBody<Payload>,
) -> Result {
    let once = Idempotent::new(key, |person: &domain::Person| {
        json_api::created_to_store(&object(person.clone())).with_version(person.version)
    });
    let made = with_pointers(&DEFINITION, async {
        let new = value.resource(&DEFINITION, &Target::New, NewPerson::read)?;
        app.create_person(&caller.editor(), &new.into(), once).await
    });
    Ok(json_api::render_stored(made.await?))
}
