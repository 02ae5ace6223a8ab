//! PATCH /api/v1/visitor_sessions/{id}

use std::sync::Arc;

use app::{App, VisitCorrection};
use axum::extract::State;
use domain::access::WriteRegistry;
use domain::{Change, MultilineText, Name, Timestamp, VisitId, WorksiteId};
use utoipa::ToSchema;
use web::{
    Caller, DeferredBody, Fields, FromFields, IfMatchHeader, NoParams, PathId, Result, id, problem, text,
};

use super::{VisitorSession, shape};

/// Corrections to a visit. Fields that are left out keep their values.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body for OpenAPI; it is read field by field")]
pub struct CorrectedVisitorSession {
    /// Identifier of the worksite; null removes it.
    #[schema(example = 1)]
    worksite_id: Option<i64>,
    /// Company that the visitor represents; null removes it.
    #[schema(example = "Plums & Co", min_length = 1, max_length = 100)]
    company: Option<String>,
    /// Notes on the visit; null removes them.
    #[schema(example = "Came with a trailer.", max_length = 4000)]
    notes: Option<String>,
    /// Time until which the visitor expects to stay, RFC 3339 in UTC; null removes it.
    #[schema(format = DateTime, example = "2026-03-01T17:00:00Z")]
    expected_until: Option<String>,
    /// Time of the check-in, RFC 3339 in UTC.
    #[schema(format = DateTime, example = "2026-03-01T08:00:00Z", nullable = false)]
    checked_in_at: Option<String>,
    /// Time of the check-out, RFC 3339 in UTC; null reopens the visit.
    #[schema(format = DateTime, example = "2026-03-01T11:00:00Z")]
    checked_out_at: Option<String>,
}

pub struct CorrectionFields(VisitCorrection);

impl FromFields for CorrectionFields {
    fn read(fields: &mut Fields) -> Option<Self> {
        let worksite = fields.change_optional("worksite_id", id);
        let company = fields.change_optional("company", text(Name::parse));
        let notes = fields.change_optional("notes", text(MultilineText::parse_optional));
        let expected_until = fields.change_optional("expected_until", text(Timestamp::parse));
        let checked_in_at = fields.change("checked_in_at", text(Timestamp::parse));
        let checked_out_at = fields.change_optional("checked_out_at", text(Timestamp::parse));
        Some(Self(VisitCorrection {
            worksite: worksite?.map(WorksiteId),
            company: company?,
            notes: match notes? {
                Change::Keep => Change::Keep,
                Change::Set(notes) => Change::Set(notes.flatten()),
            },
            expected_until: expected_until?,
            checked_in_at: checked_in_at?,
            checked_out_at: checked_out_at?,
        }))
    }
}

/// Correct a visit
///
/// The tag assignment of the visit changes with it and must not overlap another assignment of the same tag.
///
/// Fails with 403 `restricted` if your access is restricted to projects and the change would affect records outside them.
#[utoipa::path(
    patch, path = "/api/v1/visitor_sessions/{id}", tag = "visitor_sessions", operation_id = "change_visitor_session",
    security(("session" = [])),
    params(
        ("id" = i64, Path, description = "Identifier of the visit"),
        ("If-Match" = Option<String>, Header, description = "ETag of the version you have read; the answer is 412 if it has changed since"),
    ),
    request_body = CorrectedVisitorSession,
    extensions(("x-permission" = json!("write_registry"))),
    responses(
        (status = 200, description = "The corrected visit", body = VisitorSession, headers(("ETag" = String, description = "Version of the resource"))),
        problem::BadBody, problem::Unauthenticated, problem::Forbidden, problem::NotFound, problem::Conflict,
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
    app.find_visitor_session(&caller.editor().reader(), VisitId(id)).await?;
    let CorrectionFields(change) = body.read().await?;
    let visit = app.correct_visitor_session(&caller.editor(), VisitId(id), &if_match, change).await?;
    let version = visit.version;
    Ok(web::with_etag(web::json_response(&shape(visit, app.clock.now())), version, None))
}
