//! PATCH /api/v1/people/{id}

use std::sync::Arc;

use app::{App, PersonChange};
use axum::extract::State;
use domain::access::WriteRegistry;
use domain::{EmailAddress, Name, PersonId, PersonKind};
use utoipa::ToSchema;
use web::{
    Caller, DeferredBody, Fields, FromFields, IfMatchHeader, NoParams, PathId, Result, enum_schemas, problem,
    text,
};

use super::{Person, shape};

/// Changes to a person. Fields that are left out keep their values.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body for OpenAPI; it is read field by field")]
pub struct ChangedPerson {
    /// Whether the person is staff or a visitor.
    #[schema(value_type = Option<enum_schemas::PersonKind>, example = "staff", nullable = false)]
    kind: Option<String>,
    /// Name of the person.
    #[schema(example = "Ada Lovelace", min_length = 1, max_length = 100, nullable = false)]
    name: Option<String>,
    /// Number that the employer gave to the person; null removes it.
    #[schema(example = "E-1815", min_length = 1, max_length = 100)]
    employee_id: Option<String>,
    /// Email address of the person; null removes it.
    #[schema(example = "ada@example.com", format = "email", max_length = 254)]
    email: Option<String>,
    /// Company that the person works for; null removes it.
    #[schema(example = "Analytical Engines", min_length = 1, max_length = 100)]
    company: Option<String>,
}

pub struct ChangeFields(PersonChange);

impl FromFields for ChangeFields {
    fn read(fields: &mut Fields) -> Option<Self> {
        let kind = fields.change("kind", text(PersonKind::parse));
        let name = fields.change("name", text(Name::parse));
        let employee_id = fields.change_optional("employee_id", text(Name::parse));
        let email = fields.change_optional("email", text(EmailAddress::parse));
        let company = fields.change_optional("company", text(Name::parse));
        Some(Self(PersonChange {
            kind: kind?,
            name: name?,
            employee_id: employee_id?,
            email: email?,
            company: company?,
        }))
    }
}

/// Change a person
///
/// A person who was erased cannot be changed.
///
/// Fails with 403 `restricted` if your access is restricted to projects and everything known about the person lies outside them.
#[utoipa::path(
    patch, path = "/api/v1/people/{id}", tag = "people", operation_id = "change_person",
    security(("session" = [])),
    params(
        ("id" = i64, Path, description = "Identifier of the person"),
        ("If-Match" = Option<String>, Header, description = "ETag of the version you have read; the answer is 412 if it has changed since"),
    ),
    request_body = ChangedPerson,
    extensions(("x-permission" = json!("write_registry"))),
    responses(
        (status = 200, description = "The changed person", body = Person, headers(("ETag" = String, description = "Version of the resource"))),
        problem::BadBody, problem::Unauthenticated, problem::Forbidden, problem::NotFound, problem::Conflict,
        problem::PreconditionFailed,
    ),
)]
pub async fn change_person(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<WriteRegistry>,
    PathId(id): PathId,
    IfMatchHeader(if_match): IfMatchHeader,
    _: NoParams,
    body: DeferredBody,
) -> Result {
    app.find_person(&caller.editor().reader(), PersonId(id)).await?;
    let ChangeFields(change) = body.read().await?;
    let person = app.change_person(&caller.editor(), PersonId(id), &if_match, change).await?;
    let version = person.version;
    Ok(web::with_etag(web::json_response(&shape(person)), version, None))
}
