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

/// What to correct; what is left out stays.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body for OpenAPI; it is read field by field")]
pub struct CorrectedVisitorSession {
    /// Where they are; null takes it away.
    #[schema(example = 1)]
    worksite_id: Option<i64>,
    /// For whom they came; null takes it away.
    #[schema(example = "Plums & Co", min_length = 1, max_length = 100)]
    company: Option<String>,
    /// What was said at the desk; null takes it away.
    #[schema(example = "Came with a trailer.", max_length = 4000)]
    notes: Option<String>,
    /// Until when they meant to stay; null takes it away.
    #[schema(format = DateTime, example = "2026-03-01T17:00:00Z")]
    expected_until: Option<String>,
    /// Since when.
    #[schema(format = DateTime, example = "2026-03-01T08:00:00Z", nullable = false)]
    checked_in_at: Option<String>,
    /// Until when; null means that they are still here.
    #[schema(format = DateTime, example = "2026-03-01T11:00:00Z")]
    checked_out_at: Option<String>,
}

/// A correction that was read.
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

/// Corrects a stay. The assignment of the tag keeps in step, and never overlaps another one of the same tag.
///
/// 403 `restricted` if you are restricted to projects and it would change what happened outside of them.
#[utoipa::path(
    patch, path = "/api/v1/visitor_sessions/{id}", tag = "visitor_sessions", operation_id = "change_visitor_session",
    security(("session" = [])),
    params(
        ("id" = i64, Path, description = "The stay's id"),
        ("If-Match" = Option<String>, Header, description = "The ETag you read; 412 if it was changed since"),
    ),
    request_body = CorrectedVisitorSession,
    extensions(("x-permission" = json!("write_registry"))),
    responses(
        (status = 200, description = "Corrected", body = VisitorSession, headers(("ETag" = String, description = "Its version"))),
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
