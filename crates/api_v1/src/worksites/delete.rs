//! DELETE /api/v1/worksites/{id}

use std::sync::Arc;

use app::{App, Deletion};
use axum::extract::State;
use domain::WorksiteId;
use domain::access::WriteRegistry;
use serde::Serialize;
use utoipa::ToSchema;
use web::{Caller, IfMatchHeader, NoParams, PathId, Result, problem};

use super::{Worksite, shape};

/// What became of it.
#[derive(Serialize, ToSchema)]
pub struct DeletedWorksite {
    #[serde(flatten)]
    worksite: Worksite,
    /// `true` if it had no history and is gone; `false` if it has some and was archived, see `archived_at`.
    deleted: bool,
}

/// Deletes a worksite. One with history (a machine, a visit or a tester device was ever there) is archived instead, and its
/// machines are sent away.
///
/// 403 `restricted` if you are restricted to projects and it would change what happened outside of them.
#[utoipa::path(
    delete, path = "/api/v1/worksites/{id}", tag = "worksites", operation_id = "delete_worksite",
    security(("session" = [])),
    params(
        ("id" = i64, Path, description = "The worksite's id"),
        ("If-Match" = Option<String>, Header, description = "The ETag you read; 412 if it was changed since"),
    ),
    extensions(("x-permission" = json!("write_registry"))),
    responses(
        (status = 200, description = "What was ended, and how", body = DeletedWorksite),
        problem::Unauthenticated, problem::Forbidden, problem::NotFound, problem::PreconditionFailed,
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
