//! GET /api/v1/worksites/{id}/assignments

use std::sync::Arc;

use app::{App, Error, SeenAtWorksite};
use axum::extract::State;
use domain::access::ReadRegistry;
use domain::{Timestamp, WorksiteId};
use serde::Serialize;
use utoipa::ToSchema;
use web::{Caller, FromParams, ListParams, PageInfo, Params, PathId, Query, Result, problem};

use super::{WorksiteAssignment, shape};
use crate::base_stations::MachineReference;
use crate::references::PersonReference;

/// Filters and paging.
pub struct AssignmentParams {
    is_open: Option<bool>,
    list: ListParams,
}

impl FromParams for AssignmentParams {
    fn read(query: &mut Query) -> Result<Self, Error> {
        Ok(Self { is_open: query.optional_flag("open")?, list: ListParams::read(query)? })
    }
}

/// A page of assignments.
#[derive(Serialize, ToSchema)]
pub struct WorksiteAssignmentList {
    data: Vec<WorksiteAssignment>,
    page: PageInfo,
    /// Who and what was seen there; null on later pages.
    seen: Option<WorksiteSeen>,
}

/// Who and what was seen at a worksite, whether it is assigned there or not: the people and machines of its incursions, as far
/// as you see them. The last seen first, at most a hundred each.
#[derive(Serialize, ToSchema)]
pub struct WorksiteSeen {
    /// From when on: thirty days ago.
    #[schema(value_type = String, format = DateTime, example = "2026-02-01T08:00:00Z")]
    since: Timestamp,
    /// The people, on foot or driving.
    people: Vec<PersonSeen>,
    /// The machines.
    machines: Vec<MachineSeen>,
    /// Whether there were more of either.
    #[schema(example = false)]
    more: bool,
}

/// Someone who was seen at a worksite.
#[derive(Serialize, ToSchema)]
pub struct PersonSeen {
    /// Who.
    person: PersonReference,
    /// In how many incursions there.
    #[schema(example = 3)]
    incursions: i64,
    /// When the last of these began.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    last_seen_at: Timestamp,
}

/// A machine that was seen at a worksite.
#[derive(Serialize, ToSchema)]
pub struct MachineSeen {
    /// Which.
    machine: MachineReference,
    /// In how many incursions there.
    #[schema(example = 3)]
    incursions: i64,
    /// When the last of these began.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    last_seen_at: Timestamp,
}

fn shape_seen(seen: SeenAtWorksite) -> WorksiteSeen {
    let people = seen.people.into_iter().map(|seen| PersonSeen {
        person: seen.subject.into(),
        incursions: seen.incursions,
        last_seen_at: seen.last_seen_at,
    });
    let machines = seen.machines.into_iter().map(|seen| MachineSeen {
        machine: MachineReference { id: seen.subject.0.0, name: seen.subject.1 },
        incursions: seen.incursions,
        last_seen_at: seen.last_seen_at,
    });
    WorksiteSeen {
        since: seen.since,
        people: people.collect(),
        machines: machines.collect(),
        more: seen.more,
    }
}

/// Lists the machines that are or were assigned to a worksite, the newest first, and who and what was seen there.
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
    let AssignmentParams { is_open, list } = params;
    let id = WorksiteId(id);
    let (found, total) =
        app.list_worksite_assignments(&caller, id, is_open, &list.page(), list.include_total).await?;
    let seen = match list.cursor {
        None => Some(shape_seen(app.list_seen_at_worksite(&caller, id).await?)),
        Some(_) => None,
    };
    Ok(web::json_response(&WorksiteAssignmentList {
        data: found.rows.into_iter().map(shape).collect(),
        page: PageInfo::new(list.limit, found.next.as_ref(), total),
        seen,
    }))
}
