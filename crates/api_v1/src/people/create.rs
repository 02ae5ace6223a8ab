//! POST /api/v1/people

use std::sync::Arc;

use app::{App, Idempotent};
use axum::extract::State;
use domain::access::WriteRegistry;
use domain::{EmailAddress, Name, PersonKind};
use utoipa::ToSchema;
use web::{
    Caller, Fields, FromFields, IdempotencyKeyHeader, IdempotentBody, NoParams, Result, enum_schemas,
    problem, text,
};

use super::{Person, shape};

/// Fields of a new person.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body for OpenAPI; it is read field by field")]
pub struct NewPerson {
    /// Whether the person is staff or a visitor.
    #[schema(value_type = enum_schemas::PersonKind, example = "staff")]
    kind: String,
    /// Name of the person.
    #[schema(example = "Ada Lovelace", min_length = 1, max_length = 100)]
    name: String,
    /// Number that the employer gave to the person.
    #[schema(example = "E-1815", min_length = 1, max_length = 100)]
    employee_id: Option<String>,
    /// Email address of the person.
    #[schema(example = "ada@example.com", format = "email", max_length = 254)]
    email: Option<String>,
    /// Company that the person works for.
    #[schema(example = "Analytical Engines", min_length = 1, max_length = 100)]
    company: Option<String>,
}

pub struct NewPersonFields(pub store::NewPerson);

impl FromFields for NewPersonFields {
    fn read(fields: &mut Fields) -> Option<Self> {
        let kind = fields.required("kind", text(PersonKind::parse));
        let name = fields.required("name", text(Name::parse));
        let employee_id = fields.optional("employee_id", text(Name::parse));
        let email = fields.optional("email", text(EmailAddress::parse));
        let company = fields.optional("company", text(Name::parse));
        Some(Self(store::NewPerson {
            kind: kind?,
            name: name?,
            employee_id: employee_id?,
            email: email?,
            company: company?,
        }))
    }
}

/// Add a person
#[utoipa::path(
    post, path = "/api/v1/people", tag = "people", operation_id = "create_person", security(("session" = [])),
    params(IdempotencyKeyHeader),
    request_body = NewPerson,
    extensions(("x-permission" = json!("write_registry"))),
    responses(
        (status = 201, description = "The new person", body = Person),
        problem::BadBody, problem::Unauthenticated, problem::Forbidden,
    ),
)]
pub async fn create_person(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<WriteRegistry>,
    _: NoParams,
    IdempotentBody { value: NewPersonFields(new), key }: IdempotentBody<NewPersonFields>,
) -> Result {
    let once = Idempotent::new(key, |person: &store::Person| {
        web::created_to_store(format!("/api/v1/people/{}", person.id), &shape(person.clone()))
    });
    Ok(web::render_stored(app.create_person(&caller.editor(), &new, once).await?))
}
