//! GET /api/v1/worksites/{id}/assignments

use std::sync::Arc;

use app::{App, Error};
use axum::extract::State;
use domain::WorksiteId;
use domain::access::ReadRegistry;
use utoipa::ToSchema;
use web::{Caller, FromParams, ListParams, PageInfo, Params, PathId, Query, Result, problem};

use super::{WorksiteAssignment, shape};

/// Filters and paging.
pub struct AssignmentParams {
    open: Option<bool>,
    list: ListParams,
}

impl FromParams for AssignmentParams {
    fn read(query: &mut Query) -> Result<Self, Error> {
        Ok(Self { open: query.choice("open")?, list: ListParams::read(query)? })
    }
}

/// A page of assignments.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the answer for OpenAPI")]
pub struct WorksiteAssignmentList {
    data: Vec<WorksiteAssignment>,
    page: PageInfo,
}

/// Lists the machines that are or were assigned to a worksite, the newest first.
#[utoipa::path(
    get, path = "/api/v1/worksites/{id}/assignments", tag = "worksites", operation_id = "list_worksite_assignments",
    security(("session" = [])),
    params(
        ("id" = i64, Path, description = "The worksite's id"),
        ("open" = Option<bool>, Query, description = "Only open ones, or only ended ones"),
        ListParams,
    ),
    responses(
        (status = 200, description = "A page of assignments", body = WorksiteAssignmentList),
        problem::BadParams, problem::Unauthenticated, problem::NotFound,
    ),
)]
pub async fn list_worksite_assignments(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadRegistry>,
    PathId(id): PathId,
    Params(params): Params<AssignmentParams>,
) -> Result {
    let AssignmentParams { open, list } = params;
    let id = WorksiteId(id);
    let found = app.list_worksite_assignments(&caller, id, open, &list.page(), list.include_total).await?;
    Ok(web::list_answer(&list, found, shape))
}
