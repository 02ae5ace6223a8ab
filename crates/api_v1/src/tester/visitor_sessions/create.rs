//! POST /api/v1/tester/visitor_sessions

use std::sync::Arc;

use app::{App, CheckIn, Idempotent};
use axum::extract::State;
use utoipa::ToSchema;
use web::{Fields, FromFields, IdempotencyKeyHeader, IdempotentBody, NoParams, Result, Tester, problem};

use crate::visitor_sessions::create::read_check_in;
use crate::visitor_sessions::{VisitorSession, shape};

/// What is said at the desk.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body for OpenAPI; it is read field by field")]
pub struct NewVisitorSession {
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
        read_check_in(fields).map(Self)
    }
}

/// Checks a visitor in: finds or makes them, hands out the tag and begins the stay, all of it or nothing.
#[utoipa::path(
    post, path = "/api/v1/tester/visitor_sessions", tag = "tester", operation_id = "create_tester_visitor_session",
    security(("tester_token" = [])),
    params(IdempotencyKeyHeader),
    request_body = NewVisitorSession,
    responses(
        (status = 201, description = "Checked in", body = VisitorSession),
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
