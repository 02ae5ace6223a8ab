//! PATCH /api/v1/visitor_sessions/{id}

use std::sync::Arc;

use app::{App, VisitCorrection};
use axum::extract::State;
use domain::access::WriteRegistry;
use domain::{Change, MultilineText, Name, Timestamp, VisitId, WorksiteId};
use web::{
    Caller, DeferredBody, Fields, FixedMembers, IfMatchHeader, NoParams, PathId, Result, problem, text,
};

use super::{VisitorSession, shape};

/// Corrections to a visit. Fields that are left out keep their values.
#[web::body(into = VisitCorrection, of = VisitorSession)]
pub struct CorrectedVisitorSession {
    /// Identifier of the worksite; null removes it.
    #[schema(example = 1)]
    #[field(into = worksite)]
    worksite_id: Change<Option<WorksiteId>>,
    /// Company that the visitor represents; null removes it.
    #[schema(example = "Plums & Co", min_length = 1, max_length = 100)]
    company: Change<Option<Name>>,
    /// Notes on the visit; null removes them.
    #[schema(value_type = Option<String>, example = "Came with a trailer.", max_length = 4000)]
    #[field(read = notes)]
    notes: Change<Option<MultilineText>>,
    /// Time until which the visitor expects to stay, RFC 3339 in UTC; null removes it.
    #[schema(example = "2026-03-01T17:00:00Z")]
    expected_until: Change<Option<Timestamp>>,
    /// Time of the check-in, RFC 3339 in UTC.
    #[schema(example = "2026-03-01T08:00:00Z")]
    checked_in_at: Change<Timestamp>,
    /// Time of the check-out, RFC 3339 in UTC; null reopens the visit.
    #[schema(example = "2026-03-01T11:00:00Z")]
    checked_out_at: Change<Option<Timestamp>>,
}

/// Reads notes. Blank ones are removed like null.
fn notes(fields: &mut Fields, name: &str) -> Option<Change<Option<MultilineText>>> {
    Some(match fields.change_optional(name, text(MultilineText::parse_optional))? {
        Change::Keep => Change::Keep,
        Change::Set(notes) => Change::Set(notes.flatten()),
    })
}

/// Correct a visit
///
/// The tag assignment of the visit changes with it and must not overlap another assignment of the same tag.
///
/// Fails with 403 `restricted` if your access is restricted to projects and the change would affect records outside them.
#[web::operation(
    patch, path = "/api/v1/visitor_sessions/{id}", tag = "visitor sessions", operation_id = "change_visitor_session",
    params(
        ("id" = i64, Path, description = "Identifier of the visit"),
        ("If-Match" = Option<String>, Header, description = "ETag of the version you have read; the answer is 412 if it has changed since"),
    ),
    request_body = CorrectedVisitorSession,
    responses(
        (status = 200, description = "The corrected visit", body = VisitorSession, headers(("ETag" = String, description = "Version of the resource"))),
        problem::BadBody, problem::NotFound, problem::Conflict,
        problem::PreconditionFailed,
    ),
)]
pub async fn change_visitor_session(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<WriteRegistry>,
    PathId(id): PathId,
    IfMatchHeader(if_match): IfMatchHeader,
    _: NoParams,
    body: DeferredBody,
) -> Result {
    let stored = app.find_visitor_session(&caller.editor().reader(), VisitId(id)).await?;
    let fixed = FixedMembers::new(id, stored.created_at);
    let change: VisitCorrection = body.read_change::<CorrectedVisitorSession>(&fixed).await?.into();
    let visit = app.correct_visitor_session(&caller.editor(), VisitId(id), &if_match, change).await?;
    let version = visit.version;
    Ok(web::with_etag(web::json_response(&shape(visit, app.clock.now())), version, None))
}
