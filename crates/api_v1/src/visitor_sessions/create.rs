//! POST /api/v1/visitor_sessions

use std::sync::Arc;

use app::{App, CheckIn, Idempotent, Visitor};
use axum::extract::State;
use domain::access::WriteRegistry;
use domain::{EmailAddress, Invalid, MultilineText, Name, PersonId, Serial, Timestamp, WorksiteId};
use web::{Caller, Fields, FromFields, IdempotentBody, NoParams, Result, problem};

use super::{VisitorSession, shape};

/// Fields of a new visit.
#[web::body(parts)]
pub struct NewDeskVisitorSession {
    /// Identifier of the worksite that is visited. Required if your access is restricted to projects.
    #[schema(example = 1)]
    worksite_id: Option<WorksiteId>,
    /// Name of the visitor. Give either this or `person_id`.
    #[schema(example = "Grace Hopper", min_length = 1, max_length = 100)]
    name: Option<Name>,
    /// Email address of the visitor, with `name`. A known visitor with the same address is reused.
    #[schema(example = "grace@example.com", format = "email", max_length = 254)]
    email: Option<EmailAddress>,
    /// Identifier of a visitor who was here before. Give either this or `name`.
    person_id: Option<PersonId>,
    /// Serial number printed on the visitor's tag; an unknown tag is registered.
    #[schema(example = "TAG-0042", min_length = 1, max_length = 64)]
    tag_serial: Serial,
    /// Company that the visitor represents.
    #[schema(example = "Plums & Co", min_length = 1, max_length = 100)]
    company: Option<Name>,
    /// Notes on the visit.
    #[schema(example = "Here for the lift inspection", max_length = 4000)]
    #[field(parse = MultilineText::parse_optional)]
    notes: Option<Option<MultilineText>>,
    /// Time until which the visitor expects to stay, RFC 3339 in UTC.
    #[schema(example = "2026-03-01T17:00:00Z")]
    expected_until: Option<Timestamp>,
}

pub struct CheckInFields(CheckIn);

impl FromFields for CheckInFields {
    fn read(fields: &mut Fields) -> Option<Self> {
        let parts = NewDeskVisitorSession::read_parts(fields);
        let visitor = visitor(fields, parts.name, parts.email, parts.person_id);
        Some(Self(CheckIn {
            visitor: visitor?,
            tag: parts.tag_serial?,
            worksite: parts.worksite_id?,
            company: parts.company?,
            notes: parts.notes?.flatten(),
            expected_until: parts.expected_until?,
        }))
    }
}

/// Returns the visitor of a body, who is given either by name or by id. `None` means that an error was recorded.
pub fn visitor(
    fields: &mut Fields,
    name: Option<Option<Name>>,
    email: Option<Option<EmailAddress>>,
    person: Option<Option<PersonId>>,
) -> Option<Visitor> {
    match (name?, email?, person?) {
        (None, None, Some(id)) => Some(Visitor::Existing(id)),
        (Some(name), email, None) => Some(Visitor::Named { name, email }),
        (None, _, None) => fields.add_fault("name", Invalid::new("required", "must be given, or person_id")),
        (_, _, Some(_)) => {
            let invalid = Invalid::new("ambiguous", "must not be given together with name or email");
            fields.add_fault("person_id", invalid)
        }
    }
}

/// Check a visitor in
///
/// Finds or adds the visitor, assigns the tag and starts the visit, all in one transaction.
///
/// Fails with 403 `restricted` if your access is restricted to projects and no worksite is given.
#[web::operation(
    post, path = "/api/v1/visitor_sessions", tag = "visitor sessions", operation_id = "create_visitor_session",
    request_body = NewDeskVisitorSession,
    responses(
        (status = 201, description = "The new visit", body = VisitorSession),
        problem::BadBody,
    ),
)]
pub async fn create_visitor_session(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<WriteRegistry>,
    _: NoParams,
    IdempotentBody { value: CheckInFields(check_in), key }: IdempotentBody<CheckInFields>,
) -> Result {
    let now = app.clock.now();
    let once = Idempotent::new(key, |visit: &domain::Visit| {
        let location = format!("/api/v1/visitor_sessions/{}", visit.id);
        web::created_to_store(location, &shape(visit.clone(), now)).with_version(visit.version)
    });
    Ok(web::render_stored(app.check_in(&caller.editor(), &check_in, once).await?))
}
