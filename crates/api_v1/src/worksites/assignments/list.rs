//! GET /api/v1/worksites/{id}/assignments

use std::sync::Arc;

use app::{App, Error, SeenAtWorksite};
use axum::extract::State;
use domain::access::ReadRegistry;
use domain::{Timestamp, WorksiteId};
use web::{
    Caller, FromParams, ListParams, OpenAlertRecord, PageInfo, Params, PathId, Query, Result, problem,
};

use super::{WorksiteAssignment, shape};
use crate::references::{NamedReference, PersonReference};

pub struct AssignmentParams {
    is_open: Option<bool>,
    list: ListParams,
}

impl FromParams for AssignmentParams {
    fn read(query: &mut Query) -> Result<Self, Error> {
        Ok(Self { is_open: query.optional_flag("open")?, list: ListParams::read(query)? })
    }
}

/// A page of the assignments of a worksite.
#[web::answer]
pub struct WorksiteAssignmentList {
    data: Vec<WorksiteAssignment>,
    page: PageInfo,
    /// People and machines that were seen at the worksite; null on later pages.
    seen: Option<WorksiteSeen>,
    /// Alarms about the worksite that have not cleared, the newest first, as far as you see them; null on later pages.
    open_alerts: Option<Vec<OpenAlertRecord>>,
}

/// People and machines that were seen at a worksite, whether or not they are assigned to it: those in its incursions, as far as they are
/// visible to you. The last seen come first, at most one hundred of each.
#[web::answer]
pub struct WorksiteSeen {
    /// Start of the period, RFC 3339 in UTC: 30 days ago.
    #[schema(value_type = String, format = DateTime, example = "2026-02-01T08:00:00Z")]
    since: Timestamp,
    /// People who were seen, as pedestrians or operators.
    people: Vec<PersonSeen>,
    /// Machines that were seen.
    machines: Vec<MachineSeen>,
    /// Whether there are more people or machines than are listed.
    #[schema(example = false)]
    more: bool,
}

/// A person who was seen at a worksite.
#[web::answer]
pub struct PersonSeen {
    /// Person who was seen.
    person: PersonReference,
    /// Number of the person's incursions at the worksite.
    #[schema(example = 3)]
    incursions: i64,
    /// Time at which the latest of these incursions started, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    last_seen_at: Timestamp,
}

/// A machine that was seen at a worksite.
#[web::answer]
pub struct MachineSeen {
    /// Machine that was seen.
    machine: NamedReference,
    /// Number of the machine's incursions at the worksite.
    #[schema(example = 3)]
    incursions: i64,
    /// Time at which the latest of these incursions started, RFC 3339 in UTC.
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
        machine: NamedReference { id: seen.subject.0.0, name: seen.subject.1 },
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

/// List assignments of a worksite
///
/// Lists the machines that are or were assigned to the worksite, the newest first, the people and machines that were seen there, and
/// open alarms about the worksite.
#[web::operation(
    get, path = "/api/v1/worksites/{id}/assignments", tag = "worksites", operation_id = "list_worksite_assignments",
    params(
        ("id" = i64, Path, description = "Identifier of the worksite"),
        ("open" = Option<bool>, Query, description = "`true` returns open assignments only, `false` ended ones only"),
        ListParams,
    ),
    responses(
        (status = 200, description = "A page of assignments", body = WorksiteAssignmentList),
        problem::BadParams, problem::NotFound,
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
    let (seen, open_alerts) = match list.cursor {
        None => {
            let seen = shape_seen(app.list_seen_at_worksite(&caller, id).await?);
            let alerts = app.list_open_alerts_of_worksite(&caller, id).await?;
            (Some(seen), Some(alerts.into_iter().map(web::shape_open_alert).collect()))
        }
        Some(_) => (None, None),
    };
    Ok(web::json_response(&WorksiteAssignmentList {
        data: found.rows.into_iter().map(shape).collect(),
        page: PageInfo::new(list.limit, found.next.as_ref(), total),
        seen,
        open_alerts,
    }))
}
