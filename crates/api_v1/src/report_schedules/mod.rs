//! /api/v1/report_schedules: reports that are made and mailed by themselves.

mod change;
mod create;
mod delete;
mod fields;
mod get;
mod list;
mod merged_change;
mod run;
mod shown_request;

use app::{Error, ScheduleReach, ScheduleView};
use domain::{Cadence, Paper, PauseReason, RunState, ScheduleRule, Timestamp};
use serde_json::Value;
use web::{FromParams, OperationRouter, Query, enum_schemas, routes};

use self::shown_request::{shown_filters, shown_pivot};
use crate::references::Actor;

pub fn routes() -> OperationRouter {
    OperationRouter::new()
        .routes(routes!(list::list_report_schedules, create::create_report_schedule))
        .routes(routes!(
            get::get_report_schedule,
            change::change_report_schedule,
            delete::delete_report_schedule
        ))
        .routes(routes!(run::run_report_schedule))
}

/// A schedule by which a report is made and mailed.
#[web::answer(record)]
pub struct ReportSchedule {
    /// Identifier of the schedule.
    #[schema(example = 4)]
    id: i64,
    /// Name of the schedule, with which the subjects of its mails begin.
    #[schema(example = "Yard, weekly")]
    name: String,
    /// User who set up the schedule. What its reports contain is decided by what this user may see when they are made.
    author: Actor,
    /// Kind of the reports.
    #[schema(value_type = enum_schemas::ReportKind, example = "site_safety")]
    kind: &'static str,
    /// Format of the reports.
    #[schema(value_type = enum_schemas::ReportFormat, example = "pdf")]
    format: &'static str,
    /// Identifier of the project that the reports are about; null if it is not restricted to one.
    #[schema(example = 2)]
    project_id: Option<i64>,
    /// Identifier of the worksite that the reports are about; null if it is not restricted to one.
    #[schema(example = 1)]
    worksite_id: Option<i64>,
    /// Identifier of the machine that the reports are about; null if it is not restricted to one.
    #[schema(example = 5)]
    machine_id: Option<i64>,
    /// Identifier of the person that the reports are about; null if it is not restricted to one.
    #[schema(example = 7)]
    person_id: Option<i64>,
    /// Filters of the incursions, without a period; null for those that are usual.
    #[schema(value_type = Option<Object>)]
    filters: Option<Value>,
    /// For the kind `pivot`: the pivot, without a period, also if it was copied from a saved view; null for other kinds.
    #[schema(value_type = Option<Object>)]
    pivot: Option<Value>,
    /// For the kind `pivot`: identifier of the saved view that it was copied from; null if there was none.
    #[schema(example = 3)]
    saved_view_id: Option<i64>,
    /// Size of the pages of a PDF.
    #[schema(value_type = Option<enum_schemas::Paper>, example = "a4")]
    paper: Option<&'static str>,
    /// Period of each report, in whole local days before the day of the slot.
    #[schema(value_type = enum_schemas::ReportPeriod, example = "previous_week")]
    period: &'static str,
    /// How often the schedule runs.
    #[schema(value_type = enum_schemas::ScheduleCadence, example = "weekly")]
    cadence: &'static str,
    /// For the cadence `weekly`: the day, 1 for Monday to 7 for Sunday; otherwise null.
    #[schema(example = 1)]
    weekday: Option<i64>,
    /// For the cadence `monthly`: the day of the month, 1 to 28; otherwise null.
    #[schema(example = 1)]
    day_of_month: Option<i64>,
    /// Local time at which the schedule runs.
    #[schema(example = "07:30")]
    time: String,
    /// Identifier of the worksite by whose clock the schedule runs; null for the clock of the worksite in `worksite_id`, or of the brand.
    #[schema(example = 1)]
    zone_worksite_id: Option<i64>,
    /// Time zone of the clock by which the schedule runs.
    #[schema(example = "Europe/Berlin")]
    time_zone: String,
    /// Addresses that the reports are mailed to.
    #[schema(example = json!(["ada@example.com"]))]
    recipients: Vec<String>,
    /// Whether the schedule is paused.
    #[schema(example = false)]
    paused: bool,
    /// Reason why the schedule is paused; null while it is not.
    #[schema(value_type = Option<enum_schemas::PauseReason>)]
    paused_reason: Option<&'static str>,
    /// Time at which the schedule runs next, RFC 3339 in UTC; null while it is paused. It is later than the slot if the last day of the
    /// period ends later at one of the worksites.
    #[schema(value_type = Option<String>, format = DateTime, example = "2026-03-09T06:30:00Z")]
    next_run_at: Option<Timestamp>,
    /// Time at which the schedule was to run last, RFC 3339 in UTC; null before its first slot. Runs by hand take no slot.
    #[schema(value_type = Option<String>, format = DateTime, example = "2026-03-02T06:30:00Z")]
    last_slot_at: Option<Timestamp>,
    /// Time at which the schedule last ran, RFC 3339 in UTC; null before its first run.
    #[schema(value_type = Option<String>, format = DateTime, example = "2026-03-02T06:30:12Z")]
    last_run_at: Option<Timestamp>,
    /// Identifier of the report of the last run; null before the first one, and if the last one has no report.
    #[schema(example = 31)]
    last_report_id: Option<i64>,
    /// State of the last run; null before the first one. `done` means that the report is there and its mails are being sent.
    #[schema(value_type = Option<enum_schemas::ScheduleRunState>, example = "done")]
    last_run_state: Option<&'static str>,
    /// Code of the reason why the last run failed: that of its report, or `internal_error` if it has none; null unless it failed.
    #[schema(example = json!(null))]
    last_run_reason: Option<String>,
    /// Time at which the schedule was set up, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    created_at: Timestamp,
    /// Time at which the schedule was last changed or run, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    updated_at: Timestamp,
}

fn shape(view: ScheduleView) -> ReportSchedule {
    let ScheduleView { schedule, report, recipients, time_zone } = view;
    let (weekday, day_of_month) = match schedule.rule.cadence {
        Cadence::Daily => (None, None),
        Cadence::Weekly { weekday } => (Some(weekday), None),
        Cadence::Monthly { day_of_month } => (None, Some(day_of_month)),
    };
    let subject = report.subject;
    ReportSchedule {
        id: schedule.id.0,
        name: schedule.name,
        author: schedule.author.into(),
        kind: schedule.kind.as_str(),
        format: schedule.format.as_str(),
        project_id: subject.project.map(|id| id.0),
        worksite_id: subject.worksite.map(|id| id.0),
        machine_id: subject.machine.map(|id| id.0),
        person_id: subject.person.map(|id| id.0),
        filters: report.filter.as_deref().map(shown_filters),
        pivot: report.pivot.as_ref().map(|(filter, pivot)| shown_pivot(filter, pivot)),
        saved_view_id: report.saved_view.map(|id| id.0),
        paper: report.paper.map(Paper::as_str),
        period: schedule.period.as_str(),
        cadence: schedule.rule.cadence.kind().as_str(),
        weekday,
        day_of_month,
        time: ScheduleRule::format_time(schedule.rule.minute_of_day),
        zone_worksite_id: schedule.zone_worksite.map(|id| id.0),
        time_zone: time_zone.to_string(),
        recipients: recipients.into_iter().map(|recipient| recipient.email).collect(),
        paused: schedule.paused_reason.is_some(),
        paused_reason: schedule.paused_reason.map(PauseReason::as_str),
        next_run_at: schedule.next_run_at,
        last_slot_at: schedule.last_slot_at,
        last_run_at: schedule.last_run_at,
        last_report_id: schedule.last_report.map(|id| id.0),
        last_run_state: schedule.last_run_state.map(RunState::as_str),
        last_run_reason: schedule.last_run_reason,
        created_at: schedule.created_at,
        updated_at: schedule.updated_at,
    }
}

/// The parameter `all` of calls that can also reach the schedules of others.
pub struct ReachParams(ScheduleReach);

impl FromParams for ReachParams {
    fn read(query: &mut Query) -> Result<Self, Error> {
        Ok(Self(read_reach(query)?))
    }
}

fn read_reach(query: &mut Query) -> Result<ScheduleReach, Error> {
    Ok(if query.flag("all")? { ScheduleReach::Brand } else { ScheduleReach::Own })
}
