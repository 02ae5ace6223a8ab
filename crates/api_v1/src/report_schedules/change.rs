//! PATCH /api/v1/report_schedules/{id}

use std::sync::Arc;

use app::{App, Error, ErrorKind};
use axum::extract::State;
use domain::access::ScheduleReports;
use domain::{Invalid, ReportScheduleId};
use serde_json::{Map, Value};
use web::{
    Caller, DeferredBody, Fields, FixedMembers, IfMatchHeader, Params, PathId, Result, enum_schemas, problem,
};

use super::merged_change::read_change;
use super::{ReachParams, ReportSchedule, shape};

/// How often a change is made anew because another one came first.
const MAX_TRIES: usize = 10;

/// Changes to a report schedule. Fields that are left out keep their values.
#[web::body(of = ReportSchedule)]
pub struct ChangedReportSchedule {
    /// Name of the schedule, with which the subjects of its mails begin.
    #[schema(value_type = Option<String>, nullable = false, example = "Yard, weekly", min_length = 1, max_length = 100)]
    #[field(read = given_value)]
    name: Option<Value>,
    /// Kind of the reports; all but `site_report`. Another kind drops the pivot.
    #[schema(value_type = Option<enum_schemas::ReportKind>, nullable = false, example = "site_safety")]
    #[field(read = given_value)]
    kind: Option<Value>,
    /// Format of the reports; null for the first that the kind has.
    #[schema(value_type = Option<enum_schemas::ReportFormat>, example = "pdf")]
    #[field(read = given)]
    format: Option<Value>,
    /// Identifier of the project that the reports are about; null removes it.
    #[schema(value_type = Option<i64>, example = 2)]
    #[field(read = given)]
    project_id: Option<Value>,
    /// Identifier of the worksite that the reports are about; null removes it.
    #[schema(value_type = Option<i64>, example = 1)]
    #[field(read = given)]
    worksite_id: Option<Value>,
    /// Identifier of the machine that the reports are about; null removes it.
    #[schema(value_type = Option<i64>, example = 5)]
    #[field(read = given)]
    machine_id: Option<Value>,
    /// Identifier of the person that the reports are about; null removes it.
    #[schema(value_type = Option<i64>, example = 7)]
    #[field(read = given)]
    person_id: Option<Value>,
    /// Filters of the incursions, without `from` and `to`, instead of all that there are; null removes them.
    #[schema(value_type = Option<Object>)]
    #[field(read = given)]
    filters: Option<Value>,
    /// For the kind `pivot`: the pivot, without `from` and `to` in its filters. It replaces one that was copied from a saved view.
    #[schema(value_type = Option<Object>)]
    #[field(read = given)]
    pivot: Option<Value>,
    /// For the kind `pivot`: identifier of a saved view, whose definition is copied; it replaces the pivot. Null keeps the pivot and
    /// forgets where it came from.
    #[schema(value_type = Option<i64>)]
    #[field(read = given)]
    saved_view_id: Option<Value>,
    /// Size of the pages of a PDF; null for the one that is usual in the region of the author's language.
    #[schema(value_type = Option<enum_schemas::Paper>, example = "a4")]
    #[field(read = given)]
    paper: Option<Value>,
    /// Period of each report, in whole local days before the day of the slot; null for the one that is usual for the cadence.
    #[schema(value_type = Option<enum_schemas::ReportPeriod>, example = "previous_week")]
    #[field(read = given)]
    period: Option<Value>,
    /// How often the schedule runs. Another cadence drops the day of the one before.
    #[schema(value_type = Option<enum_schemas::ScheduleCadence>, nullable = false, example = "weekly")]
    #[field(read = given_value)]
    cadence: Option<Value>,
    /// For the cadence `weekly`: the day, 1 for Monday to 7 for Sunday.
    #[schema(value_type = Option<i64>, minimum = 1, maximum = 7, example = 1)]
    #[field(read = given)]
    weekday: Option<Value>,
    /// For the cadence `monthly`: the day of the month.
    #[schema(value_type = Option<i64>, minimum = 1, maximum = 28)]
    #[field(read = given)]
    day_of_month: Option<Value>,
    /// Local time at which the schedule runs, from 00:00 to 23:59.
    #[schema(value_type = Option<String>, nullable = false, example = "07:30", min_length = 5, max_length = 5)]
    #[field(read = given_value)]
    time: Option<Value>,
    /// Identifier of the worksite by whose clock the schedule runs; null for the one in `worksite_id`, or the brand's time zone.
    #[schema(value_type = Option<i64>, example = 1)]
    #[field(read = given)]
    zone_worksite_id: Option<Value>,
    /// Addresses to mail the reports to: 1 to 50, instead of all that there are.
    #[schema(value_type = Option<Vec<String>>, nullable = false, min_items = 1, max_items = 50,
        example = json!(["ada@example.com"]))]
    #[field(read = given_value)]
    recipients: Option<Value>,
    /// `true` pauses the schedule, `false` resumes it.
    #[schema(value_type = Option<bool>, nullable = false, example = false)]
    #[field(read = given_value)]
    paused: Option<Value>,
}

impl ChangedReportSchedule {
    fn into_members(self) -> Map<String, Value> {
        let members = [
            ("name", self.name),
            ("kind", self.kind),
            ("format", self.format),
            ("project_id", self.project_id),
            ("worksite_id", self.worksite_id),
            ("machine_id", self.machine_id),
            ("person_id", self.person_id),
            ("filters", self.filters),
            ("pivot", self.pivot),
            ("saved_view_id", self.saved_view_id),
            ("paper", self.paper),
            ("period", self.period),
            ("cadence", self.cadence),
            ("weekday", self.weekday),
            ("day_of_month", self.day_of_month),
            ("time", self.time),
            ("zone_worksite_id", self.zone_worksite_id),
            ("recipients", self.recipients),
            ("paused", self.paused),
        ];
        members.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
    }
}

/// Takes a value without reading it: it is read together with what the schedule has.
fn given(fields: &mut Fields, name: &str) -> Option<Option<Value>> {
    Some(fields.take(name))
}

/// The same for a value that cannot be removed.
fn given_value(fields: &mut Fields, name: &str) -> Option<Option<Value>> {
    match fields.take(name) {
        Some(Value::Null) => fields.add_fault(name, Invalid::new("required", "must be given")),
        given => Some(given),
    }
}

/// Change, pause or resume a report schedule
///
/// The next run follows from the changed schedule. Only what you change is checked. Those who manage the brand also change schedules of
/// others with `all=true`; what the reports contain is still decided by what the author may see, so that a change is refused that the
/// author could not make.
///
/// Fails with 409 `author_cannot_schedule` if you resume a schedule, or change the report of one, whose author was deactivated or may no
/// longer schedule reports. Fails with 403 `restricted` with `all=true` if your access is restricted to projects.
#[web::operation(
    patch, path = "/api/v1/report_schedules/{id}", tag = "reports", operation_id = "change_report_schedule",
    params(
        ("id" = i64, Path, description = "Identifier of the schedule"),
        ("all" = Option<bool>, Query, description = "`true` also finds schedules of others, if you manage the brand"),
        ("If-Match" = Option<String>, Header, description = "ETag of the version you have read; the answer is 412 if it has changed since"),
    ),
    request_body = ChangedReportSchedule,
    responses(
        (status = 200, description = "The changed schedule", body = ReportSchedule,
            headers(("ETag" = String, description = "Version of the resource"))),
        problem::BadBody, problem::NotFound, problem::PreconditionFailed, problem::Conflict,
        problem::Unavailable,
    ),
)]
pub async fn change_report_schedule(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ScheduleReports>,
    PathId(id): PathId,
    IfMatchHeader(if_match): IfMatchHeader,
    Params(ReachParams(reach)): Params<ReachParams>,
    body: DeferredBody,
) -> Result {
    let id = ReportScheduleId(id);
    let mut stored = app.find_report_schedule(&caller, id, reach).await?;
    let fixed = FixedMembers::new(id.0, stored.schedule.created_at);
    let given = body.read_change::<ChangedReportSchedule>(&fixed).await?.into_members();
    for _ in 0..MAX_TRIES {
        let change = read_change(&app, &caller, &stored, &given).await?;
        let changed = app.change_report_schedule(&caller, &stored, reach, &if_match, change).await?;
        if let Some(changed) = changed {
            let version = changed.schedule.version;
            return Ok(web::with_etag(web::json_response(&shape(changed)), version, None));
        }
        // What is left out stays as others have changed it meanwhile.
        stored = app.find_report_schedule(&caller, id, reach).await?;
    }
    let detail = "The schedule is being changed by others; try again.";
    Err(Error::new(ErrorKind::Unavailable, "too_busy", detail).retry_after(1).into())
}
