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

/// Fields of a new visit.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body for OpenAPI; it is read field by field")]
pub struct NewDeskVisitorSession {
    /// Name of the visitor. Give either this or `person_id`.
    #[schema(example = "Grace Hopper", min_length = 1, max_length = 100)]
    name: Option<String>,
    /// Email address of the visitor, with `name`. A known visitor with the same address is reused.
    #[schema(example = "grace@example.com", format = "email", max_length = 254)]
    email: Option<String>,
    /// Identifier of a visitor who was here before. Give either this or `name`.
    person_id: Option<i64>,
    /// Serial number printed on the visitor's tag; an unknown tag is registered.
    #[schema(example = "TAG-0042", min_length = 1, max_length = 64)]
    tag_serial: String,
    /// Identifier of the worksite that is visited. Required if your access is restricted to projects.
    #[schema(example = 1)]
    worksite_id: Option<i64>,
    /// Company that the visitor represents.
    #[schema(example = "Plums & Co", min_length = 1, max_length = 100)]
    company: Option<String>,
    /// Notes on the visit.
    #[schema(example = "Here for the lift inspection", max_length = 4000)]
    notes: Option<String>,
    /// Time until which the visitor expects to stay, RFC 3339 in UTC.
    #[schema(format = DateTime, example = "2026-03-01T17:00:00Z")]
    expected_until: Option<String>,
}

pub struct CheckInFields(CheckIn);

impl FromFields for CheckInFields {
    fn read(fields: &mut Fields) -> Option<Self> {
        let worksite = fields.optional("worksite_id", id);
        let check_in = read_check_in(fields);
        Some(Self(CheckIn { worksite: worksite?.map(WorksiteId), ..check_in? }))
    }
}

/// Reads the fields that users and tester devices both send.
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

/// Check a visitor in
///
/// Finds or adds the visitor, assigns the tag and starts the visit, all in one transaction.
///
/// Fails with 403 `restricted` if your access is restricted to projects and no worksite is given.
#[utoipa::path(
    post, path = "/api/v1/visitor_sessions", tag = "visitor_sessions", operation_id = "create_visitor_session",
    security(("session" = [])),
    params(IdempotencyKeyHeader),
    request_body = NewDeskVisitorSession,
    extensions(("x-permission" = json!("write_registry"))),
    responses(
        (status = 201, description = "The new visit", body = VisitorSession),
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
