//! POST /api/v1/visitor_sessions

use std::sync::Arc;

use app::{App, CheckIn, Idempotent, Visitor};
use axum::extract::State;
use domain::access::WriteRegistry;
use domain::{EmailAddress, Invalid, MultilineText, Name, PersonId, Serial, Timestamp, WorksiteId};
use utoipa::ToSchema;
use web::{
    Caller, Fields, FromFields, IdempotencyKeyHeader, IdempotentBody, NoParams, Result, id, problem, text,
};

use super::{VisitorSession, shape};

/// What is said at the desk.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body for OpenAPI; it is read field by field")]
pub struct NewDeskVisitorSession {
    /// What the visitor is called. Either this or `person_id`.
    #[schema(example = "Grace Hopper", min_length = 1, max_length = 100)]
    name: Option<String>,
    /// With `name`: a visitor with the same email is found again.
    #[schema(example = "grace@example.com", format = "email", max_length = 254)]
    email: Option<String>,
    /// A visitor who was here before. Either this or `name`.
    person_id: Option<i64>,
    /// What stands on the tag they get; an unknown one is registered.
    #[schema(example = "TAG-0042", min_length = 1, max_length = 64)]
    tag_serial: String,
    /// Where they go. Those who see only some projects have to say.
    #[schema(example = 1)]
    worksite_id: Option<i64>,
    /// For whom they come.
    #[schema(example = "Plums & Co", min_length = 1, max_length = 100)]
    company: Option<String>,
    /// What else was said.
    #[schema(example = "Here for the lift inspection", max_length = 4000)]
    notes: Option<String>,
    /// Until when they mean to stay.
    #[schema(format = DateTime, example = "2026-03-01T17:00:00Z")]
    expected_until: Option<String>,
}

/// A check-in that was read.
pub struct CheckInFields(CheckIn);

impl FromFields for CheckInFields {
    fn read(fields: &mut Fields) -> Option<Self> {
        let worksite = fields.optional("worksite_id", id);
        let check_in = read_check_in(fields);
        Some(Self(CheckIn { worksite: worksite?.map(WorksiteId), ..check_in? }))
    }
}

/// Reads what kiosks and desks both send.
pub fn read_check_in(fields: &mut Fields) -> Option<CheckIn> {
    let name = fields.optional("name", text(Name::parse));
    let email = fields.optional("email", text(EmailAddress::parse));
    let person = fields.optional("person_id", id);
    let tag = fields.required("tag_serial", text(Serial::parse));
    let company = fields.optional("company", text(Name::parse));
    let notes = fields.optional("notes", text(MultilineText::parse_optional));
    let expected_until = fields.optional("expected_until", text(Timestamp::parse));
    let visitor = match (name?, email?, person?) {
        (None, None, Some(id)) => Visitor::Existing(PersonId(id)),
        (Some(name), email, None) => Visitor::Named { name, email },
        (None, _, None) => {
            return fields.add_fault("name", Invalid::new("required", "must be given, or person_id"));
        }
        (_, _, Some(_)) => {
            let invalid = Invalid::new("ambiguous", "must not be given together with name or email");
            return fields.add_fault("person_id", invalid);
        }
    };
    Some(CheckIn {
        visitor,
        tag: tag?,
        worksite: None,
        company: company?,
        notes: notes?.flatten(),
        expected_until: expected_until?,
    })
}

/// Checks a visitor in: finds or makes them, hands out the tag and begins the stay, all of it or nothing.
///
/// 403 `restricted` if you are restricted to projects and name no worksite.
#[utoipa::path(
    post, path = "/api/v1/visitor_sessions", tag = "visitor_sessions", operation_id = "create_visitor_session",
    security(("session" = [])),
    params(IdempotencyKeyHeader),
    request_body = NewDeskVisitorSession,
    extensions(("x-permission" = json!("write_registry"))),
    responses(
        (status = 201, description = "Checked in", body = VisitorSession),
        problem::BadBody, problem::Unauthenticated, problem::Forbidden,
    ),
)]
pub async fn create_visitor_session(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<WriteRegistry>,
    _: NoParams,
    IdempotentBody { value: CheckInFields(check_in), key }: IdempotentBody<CheckInFields>,
) -> Result {
    let now = app.clock.now();
    let once = Idempotent::new(key, |visit: &store::Visit| {
        let location = format!("/api/v1/visitor_sessions/{}", visit.id);
        web::created_to_store(location, &shape(visit.clone(), now))
    });
    Ok(web::render_stored(app.check_in(&caller.editor(), &check_in, once).await?))
}
