//! GET /api/v1/worksites/{id}/terms

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::access::ReadRegistry;
use domain::{Timestamp, WorksiteId};
use serde::Serialize;
use utoipa::ToSchema;
use web::{Caller, ListParams, PageInfo, Params, PathId, Result, problem};

/// What was true of a worksite from a moment on, until the next.
#[derive(Serialize, ToSchema)]
pub struct WorksiteTerm {
    /// Its id.
    #[schema(example = 17)]
    id: i64,
    /// Since when.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    from: Timestamp,
    /// Until when, exclusive; null for what is true now.
    #[schema(value_type = Option<String>, format = DateTime)]
    to: Option<Timestamp>,
    /// Whose days were its days.
    #[schema(example = "Europe/Berlin")]
    time_zone: String,
    /// The project it belonged to.
    #[schema(example = 3)]
    project_id: Option<i64>,
    /// How large it was, in square metres; null without a boundary. `…/geo?at=` shows the boundary.
    #[schema(example = 41_250)]
    area_m2: Option<i64>,
}

/// A page of terms.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the answer for OpenAPI")]
pub struct WorksiteTermList {
    data: Vec<WorksiteTerm>,
    page: PageInfo,
}

/// Lists what was true of a worksite when, the newest first.
#[utoipa::path(
    get, path = "/api/v1/worksites/{id}/terms", tag = "worksites", operation_id = "list_worksite_terms",
    security(("session" = [])),
    params(("id" = i64, Path, description = "The worksite's id"), ListParams),
    responses(
        (status = 200, description = "A page of terms", body = WorksiteTermList),
        problem::BadParams, problem::Unauthenticated, problem::NotFound,
    ),
)]
pub async fn list_worksite_terms(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadRegistry>,
    PathId(id): PathId,
    Params(list): Params<ListParams>,
) -> Result {
    let found = app.list_worksite_terms(&caller, WorksiteId(id), &list.page(), list.include_total).await?;
    Ok(web::list_response(&list, found, |term| WorksiteTerm {
        id: term.id,
        from: term.from,
        to: term.to,
        time_zone: term.time_zone,
        project_id: term.project.map(|id| id.0),
        area_m2: term.area_m2,
    }))
}
