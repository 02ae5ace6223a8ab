//! PATCH /api/v2/people/{id}

use std::sync::Arc;

use app::{App, PersonChange};
use axum::extract::State;
use domain::access::WriteRegistry;
use domain::{Change, EmailAddress, Name, PersonId, PersonKind};
use web::{
    Caller, DeferredBody, FixedMembers, FromFields, IfMatchHeader, NoParams, PathId, Result, enum_schemas,
    json_api_errors,
};

use super::{DEFINITION, Person, object};
use crate::json_api::{
    self, ChangeOf, DocumentOf, Negotiated, Payload, StoredResource, Target, with_pointers,
};

/// Attributes of a person to change. Attributes that are left out stay as they are.
#[web::body]
#[schema(as = ChangedPersonAttributes)]
pub struct ChangedPerson {
    /// Whether the person is staff or a visitor.
    #[schema(value_type = enum_schemas::PersonKind, example = "staff", required = false)]
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
    /// `true` archives the person and ends the visit and the tag assignments, `false` restores the person.
    #[schema(example = false)]
    archived: Change<bool>,
}

type ChangedPersonDocument = ChangeOf<Person>;
type PersonDocument = DocumentOf<Person>;

/// Change, archive or restore a person
///
/// Set `archived` to archive or restore the person. A person who was erased cannot be changed. Answers 403 `restricted` if your access is
/// restricted to projects and everything known about the person lies outside of them.
#[web::operation(
    patch, path = "/api/v2/people/{id}", tag = "people", operation_id = "change_person",
    params(
        ("id" = String, Path, description = "Id of the person."),
        ("If-Match" = Option<String>, Header, description = "ETag of the version you read; 412 if the person has changed since."),
    ),
    request_body(content = ChangedPersonDocument, content_type = "application/vnd.api+json"),
    responses(
        (status = 200, description = "The person was changed.", body = PersonDocument, content_type = "application/vnd.api+json",
            headers(("ETag" = String, description = "Version of the person."))),
        json_api_errors::BadBody, json_api_errors::NotFound, json_api_errors::Conflict,
        json_api_errors::PreconditionFailed, json_api_errors::NegotiationFailed,
    ),
)]
pub async fn change_person(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<WriteRegistry>,
    _: Negotiated,
    PathId(id): PathId,
    IfMatchHeader(if_match): IfMatchHeader,
    _: NoParams,
    body: DeferredBody,
) -> Result {
    let id = PersonId(id);
    let created_at = app.find_person(&caller.editor().reader(), id).await?.created_at;
    let payload = body.read::<Payload>().await?;
    let stored = StoredResource::new(id.0, FixedMembers::created_at(created_at));
    let changed = with_pointers(&DEFINITION, async {
        let ChangedPerson { kind, name, employee_id, email, company, archived } =
            payload.resource(&DEFINITION, &Target::Existing(stored), ChangedPerson::read)?;
        let change = PersonChange { kind, name, employee_id, email, company };
        app.update_person(&caller.editor(), id, &if_match, change, archived).await
    });
    let person = changed.await?;
    let version = person.version;
    Ok(web::with_etag(json_api::updated_response(&object(person)), version, None))
}
