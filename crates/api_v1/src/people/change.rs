//! PATCH /api/v1/people/{id}

use std::sync::Arc;

use app::{App, PersonChange};
use axum::extract::State;
use domain::access::WriteRegistry;
use domain::{Change, EmailAddress, Name, PersonId, PersonKind};
use web::{
    Caller, DeferredBody, FixedMembers, IfMatchHeader, NoParams, PathId, Result, enum_schemas, problem,
};

use super::{Person, shape};

/// Changes to a person. Fields that are left out keep their values.
#[web::body(into = PersonChange, of = Person)]
pub struct ChangedPerson {
    /// Whether the person is staff or a visitor.
    #[schema(value_type = Option<enum_schemas::PersonKind>, example = "staff")]
    kind: Change<PersonKind>,
    /// Name of the person.
    #[schema(example = "Ada Lovelace", min_length = 1, max_length = 100)]
    name: Change<Name>,
    /// Number that the employer gave to the person; null removes it.
    #[schema(example = "E-1815", min_length = 1, max_length = 100)]
    employee_id: Change<Option<Name>>,
    /// Email address of the person; null removes it.
    #[schema(example = "ada@example.com", format = "email", max_length = 254)]
    email: Change<Option<EmailAddress>>,
    /// Company that the person works for; null removes it.
    #[schema(example = "Analytical Engines", min_length = 1, max_length = 100)]
    company: Change<Option<Name>>,
}

/// Change a person
///
/// A person who was erased cannot be changed.
///
/// Fails with 403 `restricted` if your access is restricted to projects and everything known about the person lies outside them.
#[web::operation(
    patch, path = "/api/v1/people/{id}", tag = "people", operation_id = "change_person",
    params(
        ("id" = i64, Path, description = "Identifier of the person"),
        ("If-Match" = Option<String>, Header, description = "ETag of the version you have read; the answer is 412 if it has changed since"),
    ),
    request_body = ChangedPerson,
    responses(
        (status = 200, description = "The changed person", body = Person, headers(("ETag" = String, description = "Version of the resource"))),
        problem::BadBody, problem::NotFound, problem::Conflict,
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
    let stored = app.find_person(&caller.editor().reader(), PersonId(id)).await?;
    let change = body.read_change::<ChangedPerson>(&FixedMembers::new(id, stored.created_at)).await?;
    let person = app.change_person(&caller.editor(), PersonId(id), &if_match, change.into()).await?;
    let version = person.version;
    Ok(web::with_etag(web::json_response(&shape(person)), version, None))
}
