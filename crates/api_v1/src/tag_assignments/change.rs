//! PATCH /api/v1/tag_assignments/{id}

use std::sync::Arc;

use app::{App, AssignmentCorrection};
use axum::extract::State;
use domain::access::WriteRegistry;
use domain::{Change, TagAssignmentId, Timestamp};
use web::{Caller, DeferredBody, FixedMembers, IfMatchHeader, NoParams, PathId, Result, problem};

use super::{TagAssignment, shape};

/// Corrections to a tag assignment. Fields that are left out keep their values.
#[web::body(into = AssignmentCorrection, of = TagAssignment)]
pub struct CorrectedTagAssignment {
    /// Time at which the tag was handed out, RFC 3339 in UTC.
    #[schema(example = "2026-03-01T08:00:00Z")]
    assigned_at: Change<Timestamp>,
    /// Time at which the tag was returned, RFC 3339 in UTC; null reopens the assignment.
    #[schema(example = "2026-03-01T11:00:00Z")]
    ended_at: Change<Option<Timestamp>>,
}

/// Correct a tag assignment
///
/// Corrects the start or the end of the assignment. Two assignments of a tag must not overlap. Incursions are attributed again
/// accordingly.
///
/// Fails with 403 `restricted` if your access is restricted to projects and the change would affect records outside them.
#[web::operation(
    patch, path = "/api/v1/tag_assignments/{id}", tag = "tag assignments", operation_id = "change_tag_assignment",
    params(
        ("id" = i64, Path, description = "Identifier of the tag assignment"),
        ("If-Match" = Option<String>, Header, description = "ETag of the version you have read; the answer is 412 if it has changed since"),
    ),
    request_body = CorrectedTagAssignment,
    responses(
        (status = 200, description = "The corrected tag assignment", body = TagAssignment, headers(("ETag" = String, description = "Version of the resource"))),
        problem::BadBody, problem::NotFound, problem::PreconditionFailed,
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
    let stored = app.find_tag_assignment(&caller.editor().reader(), TagAssignmentId(id)).await?;
    let fixed = FixedMembers::new(id, stored.created_at);
    let change: AssignmentCorrection = body.read_change::<CorrectedTagAssignment>(&fixed).await?.into();
    let editor = caller.editor();
    let assignment = app.correct_tag_assignment(&editor, TagAssignmentId(id), &if_match, &change).await?;
    let version = assignment.version;
    Ok(web::with_etag(web::json_response(&shape(assignment)), version, None))
}
