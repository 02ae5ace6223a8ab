//! POST /api/v1/tester/visitor_sessions

use std::sync::Arc;

use app::{App, CheckIn, Idempotent};
use axum::extract::State;
use domain::{EmailAddress, MultilineText, Name, PersonId, Serial, Timestamp};
use web::{Fields, FromFields, IdempotentBody, NoParams, Result, Tester, problem};

use crate::visitor_sessions::create::visitor;
use crate::visitor_sessions::{VisitorSession, shape};

/// Fields of a new visit.
#[web::body(parts)]
pub struct NewVisitorSession {
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
        let parts = NewVisitorSession::read_parts(fields);
        let visitor = visitor(fields, parts.name, parts.email, parts.person_id);
        Some(Self(CheckIn {
            visitor: visitor?,
            tag: parts.tag_serial?,
            worksite: None,
            company: parts.company?,
            notes: parts.notes?.flatten(),
            expected_until: parts.expected_until?,
        }))
    }
}

/// Check a visitor in
///
/// Finds or adds the visitor, assigns the tag and starts the visit, all in one transaction.
#[web::operation(
    post, path = "/api/v1/tester/visitor_sessions", tag = "tester", operation_id = "create_tester_visitor_session",
    request_body = NewVisitorSession,
    responses(
        (status = 201, description = "The new visit", body = VisitorSession),
        problem::BadBody,
    ),
)]
pub async fn create_visitor_session(
    State(app): State<Arc<App>>,
    Tester(tester): Tester,
    _: NoParams,
    IdempotentBody { value: CheckInFields(check_in), key }: IdempotentBody<CheckInFields>,
) -> Result {
    let now = app.clock.now();
    let once = Idempotent::new(key, |visit: &domain::Visit| {
        let location = format!("/api/v1/tester/visitor_sessions/{}", visit.id);
        web::created_to_store(location, &shape(visit.clone(), now)).with_version(visit.version)
    });
    Ok(web::render_stored(app.check_in(&tester.editor(), &check_in, once).await?))
}
