//! PATCH /api/v1/report_schedules/{id}

use std::collections::BTreeSet;
use std::sync::Arc;

use app::{App, ReportScheduleChange};
use axum::extract::State;
use domain::access::{ReadInsights, ScheduleReports};
use domain::{Change, Invalid, ReportPeriod, ReportScheduleId};
use serde_json::{Map, Value};
use web::{
    Caller, DeferredBody, Fields, FixedMembers, FromFields, IfMatchHeader, Params, PathId, Result,
    enum_schemas, problem,
};

use super::fields::ScheduleFields;
use super::{ReachParams, ReportSchedule, shape};

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
    /// For the kind `pivot`: the pivot, without `from` and `to` in its filters. It replaces a saved view.
    #[schema(value_type = Option<Object>)]
    #[field(read = given)]
    pivot: Option<Value>,
    /// For the kind `pivot`: identifier of a saved view, whose definition is copied. It replaces a pivot.
    #[schema(value_type = Option<i64>)]
    #[field(read = given)]
    saved_view_id: Option<Value>,
    /// Size of the pages of a PDF; null for the one that is usual in the region of the author's language.
    #[schema(value_type = Option<enum_schemas::Paper>, example = "a4")]
    #[field(read = given)]
    paper: Option<Value>,
    /// Period of each report, in whole local days before the day of the run; null for the one that is usual for the cadence.
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

/// Members that make up the report.
const OF_REPORT: &[&str] = &[
    "kind",
    "format",
    "project_id",
    "worksite_id",
    "machine_id",
    "person_id",
    "filters",
    "pivot",
    "saved_view_id",
    "paper",
];
/// Members that make up the time.
const OF_RULE: &[&str] = &["cadence", "weekday", "day_of_month", "time"];

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

/// A schedule as it would be shown after a change, and the members that differ from what is shown now.
struct Merged {
    members: Map<String, Value>,
    changed: BTreeSet<String>,
}

impl Merged {
    /// Puts given members over those that a schedule is shown with. What does not fit a new value, and was not given, is dropped.
    fn new(shown: &ReportSchedule, given: &Map<String, Value>) -> Self {
        let shown = match serde_json::to_value(shown) {
            Ok(Value::Object(shown)) => shown,
            Ok(_) | Err(_) => Map::new(),
        };
        let changes = given.iter().filter(|(name, value)| shown.get(*name) != Some(*value));
        let changed: BTreeSet<String> = changes.map(|(name, _)| name.clone()).collect();
        let is_given = |name: &str| given.get(name).is_some_and(|value| !value.is_null());
        let is_dropped = |name: &str| match name {
            "weekday" | "day_of_month" => changed.contains("cadence"),
            "filters" => changed.contains("kind") && given.get("kind").is_some_and(|kind| kind == "pivot"),
            "pivot" => changed.contains("kind") || is_given("saved_view_id"),
            "saved_view_id" => changed.contains("kind") || is_given("pivot"),
            _ => false,
        };
        let all = OF_REPORT.iter().chain(OF_RULE);
        let all = all.chain(&["name", "period", "zone_worksite_id", "recipients", "paused"]);
        let mut members = Map::new();
        for name in all.copied() {
            let value = match changed.contains(name) {
                true => given.get(name),
                false => shown.get(name).filter(|_| !is_dropped(name)),
            };
            members.extend(value.map(|value| (name.to_owned(), value.clone())));
        }
        Self { members, changed }
    }

    fn changes(&self, names: &[&str]) -> bool {
        names.iter().any(|name| self.changed.contains(*name))
    }
}

/// Change, pause or resume a report schedule
///
/// The next run follows from the changed schedule. Those who manage the brand also change schedules of others with `all=true`; what the
/// reports contain is still decided by what the author may see.
///
/// Fails with 409 `author_cannot_schedule` if you resume a schedule whose author was deactivated or may no longer schedule reports. Fails
/// with 403 `restricted` with `all=true` if your access is restricted to projects.
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
    let stored = app.find_report_schedule(&caller, id, reach).await?;
    let fixed = FixedMembers::new(id.0, stored.schedule.created_at);
    let given = body.read_change::<ChangedReportSchedule>(&fixed).await?.into_members();
    let merged = Merged::new(&shape(stored), &given);
    let change = read_change(&app, &caller, &merged).await?;
    let changed = app.change_report_schedule(&caller, id, reach, &if_match, change).await?;
    let version = changed.schedule.version;
    Ok(web::with_etag(web::json_response(&shape(changed)), version, None))
}

/// Reads what differs, by the rules for a new schedule.
async fn read_change(
    app: &App,
    caller: &app::Caller<ScheduleReports>,
    merged: &Merged,
) -> Result<ReportScheduleChange, app::Error> {
    let mut change = ReportScheduleChange {
        name: Change::Keep,
        report: Change::Keep,
        period: Change::Keep,
        rule: Change::Keep,
        zone_worksite: Change::Keep,
        recipients: Change::Keep,
        paused: Change::Keep,
    };
    if merged.changed.is_empty() {
        return Ok(change);
    }
    let ScheduleFields(mut whole) = web::read_fields(merged.members.clone(), ScheduleFields::read)?;
    if merged.changes(OF_REPORT) {
        let reader = caller.with_permission::<ReadInsights>()?;
        web::resolve_saved_view(app, &reader, &mut whole.report).await?;
        change.report = Change::Set(Box::new(whole.report));
    }
    if merged.changes(&["name"]) {
        change.name = Change::Set(whole.name);
    }
    if merged.changes(&["period"]) {
        let usual = ReportPeriod::usual(whole.rule.cadence.kind());
        change.period = Change::Set(whole.period.unwrap_or(usual));
    }
    if merged.changes(OF_RULE) {
        change.rule = Change::Set(whole.rule);
    }
    if merged.changes(&["zone_worksite_id"]) {
        change.zone_worksite = Change::Set(whole.zone_worksite);
    }
    if merged.changes(&["recipients"]) {
        change.recipients = Change::Set(whole.recipients);
    }
    if merged.changes(&["paused"]) {
        change.paused = Change::Set(whole.paused);
    }
    Ok(change)
}
