//! GET /api/v1/worksites/{id}/terms

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::access::ReadRegistry;
use domain::{Timestamp, WorksiteId};
use web::{Caller, List, ListParams, Params, PathId, Result, problem};

/// The values that a worksite had during a period: time zone, project and area.
#[web::answer]
pub struct WorksiteTerm {
    /// Identifier of the term.
    #[schema(example = 17)]
    id: i64,
    /// Time from which the values applied, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    from: Timestamp,
    /// Time until which the values applied, RFC 3339 in UTC, exclusive; null if they still apply.
    #[schema(value_type = Option<String>, format = DateTime)]
    to: Option<Timestamp>,
    /// Time zone of the worksite, as a name of the IANA database.
    #[schema(example = "Europe/Berlin")]
    time_zone: String,
    /// Identifier of the project that the worksite belonged to.
    #[schema(example = 3)]
    project_id: Option<i64>,
    /// Area in square metres; null without a boundary. `GET /api/v1/worksites/{id}/geo?at=` returns the boundary.
    #[schema(example = 41_250)]
    area_m2: Option<i64>,
    /// Time at which the term was recorded, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    created_at: Timestamp,
    /// Time at which the term was last changed, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    updated_at: Timestamp,
}

pub type WorksiteTermList = List<WorksiteTerm>;

/// List the terms of a worksite
///
/// Lists the time zones, projects and areas that the worksite has had, the newest first.
#[web::operation(
    get, path = "/api/v1/worksites/{id}/terms", tag = "worksites", operation_id = "list_worksite_terms",
    params(("id" = i64, Path, description = "Identifier of the worksite"), ListParams),
    responses(
        (status = 200, description = "A page of terms", body = WorksiteTermList),
        problem::BadParams, problem::NotFound,
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
        created_at: term.created_at,
        updated_at: term.updated_at,
    }))
}
