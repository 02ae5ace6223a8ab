//! POST /api/v1/tester/visitor_sessions

use std::sync::Arc;

use app::{App, CheckIn, Idempotent};
use axum::extract::State;
use utoipa::ToSchema;
use web::{Fields, FromFields, IdempotencyKeyHeader, IdempotentBody, NoParams, Result, Tester, problem};

use crate::visitor_sessions::create::read_check_in;
use crate::visitor_sessions::{VisitorSession, shape};

/// Fields of a new visit.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body for OpenAPI; it is read field by field")]
pub struct NewVisitorSession {
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
        read_check_in(fields).map(Self)
    }
}

/// Check a visitor in
///
/// Finds or adds the visitor, assigns the tag and starts the visit, all in one transaction.
#[utoipa::path(
    post, path = "/api/v1/tester/visitor_sessions", tag = "tester", operation_id = "create_tester_visitor_session",
    security(("tester_token" = [])),
    params(IdempotencyKeyHeader),
    request_body = NewVisitorSession,
    responses(
        (status = 201, description = "The new visit", body = VisitorSession),
        problem::BadBody, problem::Unauthenticated,
    ),
)]
pub async fn create_visitor_session(
    State(app): State<Arc<App>>,
    Tester(tester): Tester,
    _: NoParams,
    IdempotentBody { value: CheckInFields(check_in), key }: IdempotentBody<CheckInFields>,
) -> Result {
    let now = app.clock.now();
    let once = Idempotent::new(key, |visit: &store::Visit| {
        let location = format!("/api/v1/tester/visitor_sessions/{}", visit.id);
        web::created_to_store(location, &shape(visit.clone(), now))
    });
    Ok(web::render_stored(app.check_in(&tester.editor(), &check_in, once).await?))
}
