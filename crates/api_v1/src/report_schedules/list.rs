//! GET /api/v1/report_schedules

use std::sync::Arc;

use app::{App, Error, ScheduleReach};
use axum::extract::State;
use domain::ReportScheduleFilter;
use domain::access::ScheduleReports;
use web::{Caller, FromParams, List, ListParams, Params, Query, Result, problem};

use super::{ReportSchedule, read_reach, shape};

pub struct ScheduleParams {
    reach: ScheduleReach,
    filter: ReportScheduleFilter,
    list: ListParams,
}

impl FromParams for ScheduleParams {
    fn read(query: &mut Query) -> Result<Self, Error> {
        let reach = read_reach(query)?;
        let filter = ReportScheduleFilter { paused: query.optional_flag("paused")?, q: query.search("q")? };
        Ok(Self { reach, filter, list: ListParams::read(query)? })
    }
}

pub type ReportScheduleList = List<ReportSchedule>;

/// List report schedules
///
/// Your schedules are sorted by name. Those who manage the brand also see those of others with `all=true`.
///
/// Fails with 403 `restricted` with `all=true` if your access is restricted to projects.
#[web::operation(
    get, path = "/api/v1/report_schedules", tag = "reports", operation_id = "list_report_schedules",
    params(
        ("all" = Option<bool>, Query, description = "`true` also returns schedules of others, if you manage the brand"),
        ("paused" = Option<bool>, Query, description = "Only schedules that are paused, or only those that are not"),
        ("q" = Option<String>, Query, description = "Part of a name; case and accents are ignored"),
        ListParams,
    ),
    responses(
        (status = 200, description = "A page of schedules", body = ReportScheduleList),
        problem::BadParams,
    ),
)]
pub async fn list_report_schedules(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ScheduleReports>,
    Params(ScheduleParams { reach, filter, list }): Params<ScheduleParams>,
) -> Result {
    let found = app.list_report_schedules(&caller, &filter, reach, &list.page(), list.include_total).await?;
    Ok(web::list_response(&list, found, shape))
}
