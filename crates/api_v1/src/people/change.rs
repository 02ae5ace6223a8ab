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

/// What to change; what is left out stays.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body for OpenAPI; it is read field by field")]
pub struct ChangedPerson {
    /// Why they are on site.
    #[schema(value_type = Option<enum_schemas::PersonKind>, example = "staff", nullable = false)]
    kind: Option<String>,
    /// What they are called.
    #[schema(example = "Ada Lovelace", min_length = 1, max_length = 100, nullable = false)]
    name: Option<String>,
    /// Their number with their employer; null takes it away.
    #[schema(example = "E-1815", min_length = 1, max_length = 100)]
    employee_id: Option<String>,
    /// Where they are written to; null takes it away.
    #[schema(example = "ada@example.com", format = "email", max_length = 254)]
    email: Option<String>,
    /// Whom they work for; null takes it away.
    #[schema(example = "Analytical Engines", min_length = 1, max_length = 100)]
    company: Option<String>,
}

/// A change that was read.
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

/// Changes a person. One who was erased cannot be changed.
///
/// 403 `restricted` if you are restricted to projects and everything known of the person lies outside of them.
#[utoipa::path(
    patch, path = "/api/v1/people/{id}", tag = "people", operation_id = "change_person",
    security(("session" = [])),
    params(
        ("id" = i64, Path, description = "The person's id"),
        ("If-Match" = Option<String>, Header, description = "The ETag you read; 412 if it was changed since"),
    ),
    request_body = ChangedPerson,
    extensions(("x-permission" = json!("write_registry"))),
    responses(
        (status = 200, description = "Changed", body = Person, headers(("ETag" = String, description = "Their version"))),
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
