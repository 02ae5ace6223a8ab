//! DELETE /api/v1/worksites/{id}

use std::sync::Arc;

use app::{App, Deletion};
use axum::extract::State;
use domain::WorksiteId;
use domain::access::WriteRegistry;
use web::{Caller, IfMatchHeader, NoParams, PathId, Result, problem};

use super::{Worksite, shape};

/// The worksite that was deleted or archived.
#[web::answer]
pub struct DeletedWorksite {
    #[serde(flatten)]
    worksite: Worksite,
    /// `true` if the worksite had no history and was deleted; `false` if it had some and was archived, as `archived_at` shows.
    deleted: bool,
}

/// Delete or archive a worksite
///
/// A worksite with history (a machine, a visit or a tester device was ever there) is archived instead of deleted, and the assignments of
/// its machines end.
///
/// Fails with 403 `restricted` if your access is restricted to projects and the change would affect records outside them.
#[web::operation(
    delete, path = "/api/v1/worksites/{id}", tag = "worksites", operation_id = "delete_worksite",
    params(
        ("id" = i64, Path, description = "Identifier of the worksite"),
        ("If-Match" = Option<String>, Header, description = "ETag of the version you have read; the answer is 412 if it has changed since"),
    ),
    responses(
        (status = 200, description = "The worksite, and whether it was deleted or archived", body = DeletedWorksite),
        problem::NotFound, problem::PreconditionFailed,
    ),
)]
pub async fn delete_worksite(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<WriteRegistry>,
    PathId(id): PathId,
    IfMatchHeader(if_match): IfMatchHeader,
    _: NoParams,
) -> Result {
    let (site, deleted) = match app.delete_worksite(&caller, WorksiteId(id), &if_match).await? {
        Deletion::Deleted(site) => (site, true),
        Deletion::Archived(site) => (site, false),
    };
    Ok(web::json_response(&DeletedWorksite { worksite: shape(site), deleted }))
}
