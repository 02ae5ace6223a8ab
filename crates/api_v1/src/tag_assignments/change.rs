//! PATCH /api/v1/tag_assignments/{id}

use std::sync::Arc;

use app::{App, AssignmentCorrection};
use axum::extract::State;
use domain::access::WriteRegistry;
use domain::{TagAssignmentId, Timestamp};
use utoipa::ToSchema;
use web::{Caller, DeferredBody, Fields, FromFields, IfMatchHeader, NoParams, PathId, Result, problem, text};

use super::{TagAssignment, shape};

/// What to correct; what is left out stays.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body for OpenAPI; it is read field by field")]
pub struct CorrectedTagAssignment {
    /// Since when.
    #[schema(format = DateTime, example = "2026-03-01T08:00:00Z", nullable = false)]
    assigned_at: Option<String>,
    /// Until when; null opens it again.
    #[schema(format = DateTime, example = "2026-03-01T11:00:00Z")]
    ended_at: Option<String>,
}

/// A correction that was read.
pub struct CorrectionFields(AssignmentCorrection);

impl FromFields for CorrectionFields {
    fn read(fields: &mut Fields) -> Option<Self> {
        let assigned_at = fields.change("assigned_at", text(Timestamp::parse));
        let ended_at = fields.change_optional("ended_at", text(Timestamp::parse));
        Some(Self(AssignmentCorrection { assigned_at: assigned_at?, ended_at: ended_at? }))
    }
}

/// Corrects from when to when a tag was worn. Two assignments of a tag never overlap. What was attributed by it follows.
///
/// 403 `restricted` if you are restricted to projects and it would change what happened outside of them.
#[utoipa::path(
    patch, path = "/api/v1/tag_assignments/{id}", tag = "tag_assignments", operation_id = "change_tag_assignment",
    security(("session" = [])),
    params(
        ("id" = i64, Path, description = "The assignment's id"),
        ("If-Match" = Option<String>, Header, description = "The ETag you read; 412 if it was changed since"),
    ),
    request_body = CorrectedTagAssignment,
    extensions(("x-permission" = json!("write_registry"))),
    responses(
        (status = 200, description = "Corrected", body = TagAssignment, headers(("ETag" = String, description = "Its version"))),
        problem::BadBody, problem::Unauthenticated, problem::Forbidden, problem::NotFound, problem::PreconditionFailed,
    ),
)]
pub async fn change_tag_assignment(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<WriteRegistry>,
    PathId(id): PathId,
    IfMatchHeader(if_match): IfMatchHeader,
    _: NoParams,
    body: DeferredBody,
) -> Result {
    app.find_tag_assignment(&caller.editor().reader(), TagAssignmentId(id)).await?;
    let CorrectionFields(change) = body.read().await?;
    let hand = caller.editor();
    let assignment = app.correct_tag_assignment(&hand, TagAssignmentId(id), &if_match, &change).await?;
    let version = assignment.version;
    Ok(web::with_etag(web::json_response(&shape(assignment)), version, None))
}
