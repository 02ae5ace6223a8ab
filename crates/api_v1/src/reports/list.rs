//! GET /api/v1/reports

use std::sync::Arc;

use app::{App, Error};
use axum::extract::State;
use domain::access::ReadInsights;
use domain::{
    Direction, ListOrder, ListRequest, Listing, MachineId, Page, PersonId, ProjectId, ReportFilter,
    ReportKind, ReportScheduleId, ReportState, ReportSubject, SortKey, Sorting, WorksiteId,
};
use web::{Caller, FromParams, ListParams, Params, Query, Result, enum_schemas, problem};

use super::{ReportList, shape};

pub struct ReportParams {
    filter: ReportFilter,
    mine: bool,
    list: ListParams,
}

impl FromParams for ReportParams {
    fn read(query: &mut Query) -> Result<Self, Error> {
        let word = |text: &str| ReportState::parse(text).map(ReportState::as_str);
        let states = query.many("state", ReportState::ALL.len(), word)?;
        let filter = ReportFilter {
            ids: None,
            kinds: query.many("kind", ReportKind::ALL.len(), ReportKind::parse)?,
            states: ReportState::ALL.into_iter().filter(|state| states.contains(&state.as_str())).collect(),
            subject: ReportSubject {
                project: query.id("project_id")?.map(ProjectId),
                worksite: query.id("worksite_id")?.map(WorksiteId),
                machine: query.id("machine_id")?.map(MachineId),
                person: query.id("person_id")?.map(PersonId),
            },
            schedule: query.id("schedule_id")?.map(ReportScheduleId),
            author: None,
        };
        Ok(Self { filter, mine: query.flag("mine")?, list: ListParams::read(query)? })
    }
}

/// List reports
///
/// Lists the reports whose projects and names you may see, the newest first. Those that failed or expired are listed for 90 days.
#[web::operation(
    get, path = "/api/v1/reports", tag = "reports", operation_id = "list_reports",
    params(
        ("kind" = Option<Vec<enum_schemas::ReportKind>>, Query, description = "Only reports of these kinds; repeat the parameter"),
        ("state" = Option<Vec<enum_schemas::ReportState>>, Query,
            description = "Only reports in these states; repeat the parameter"),
        ("project_id" = Option<i64>, Query, description = "Only reports about this project"),
        ("worksite_id" = Option<i64>, Query, description = "Only reports about this worksite"),
        ("machine_id" = Option<i64>, Query, description = "Only reports about this machine"),
        ("person_id" = Option<i64>, Query, description = "Only reports about this person"),
        ("schedule_id" = Option<i64>, Query, description = "Only reports of this schedule"),
        ("mine" = Option<bool>, Query, description = "With `true`, only reports of which you are the author"),
        ListParams,
    ),
    responses(
        (status = 200, description = "A page of reports", body = ReportList),
        problem::BadParams,
    ),
)]
pub async fn list_reports(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadInsights>,
    Params(ReportParams { filter, mine, list }): Params<ReportParams>,
) -> Result {
    let filter = ReportFilter { author: mine.then_some(caller.identity.user), ..filter };
    let sorting = Sorting::by(SortKey::Id, Direction::Descending);
    let ListRequest { window, include_total, .. } = list.request(ListOrder::Sorted(sorting));
    let found = app.list_reports(&caller, &filter, sorting, &window, include_total).await?;
    let Listing { rows, next, total, .. } = found;
    Ok(web::list_response(&list, (Page { rows, next }, total), shape))
}
