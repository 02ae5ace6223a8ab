//! /api/v1/alerts: rules, their firings and dry runs.

mod change;
mod create;
mod delete;
mod dry_run;
mod fields;
pub mod firings;
mod get;
mod hours_fields;
mod list;
mod recipient_fields;
mod scope_fields;
mod test;

use app::AlertView;
use domain::{AlertWindow, Timestamp};
use serde_json::Value;
use web::{OperationRouter, enum_schemas, routes};

use self::hours_fields::AlertHours;
use self::recipient_fields::AlertRecipient;
use self::scope_fields::AlertScope;
use crate::references::Actor;

pub fn routes() -> OperationRouter {
    OperationRouter::new()
        .routes(routes!(list::list_alerts, create::create_alert))
        .routes(routes!(dry_run::dry_run_alert))
        .routes(routes!(get::get_alert, change::change_alert, delete::delete_alert))
        .routes(routes!(test::test_alert))
        .merge(firings::routes())
}

/// An alert: a rule that is evaluated as facts arrive and as time passes.
#[web::answer(record)]
pub struct Alert {
    /// Identifier of the alert.
    #[schema(example = 4)]
    id: i64,
    /// Name of the alert.
    #[schema(example = "Yard, too many")]
    name: String,
    /// User who made the alert, and whose projects decide what it counts; null if that user has left.
    owner: Option<Actor>,
    /// User who made the alert and has left, or may no longer have alerts. It goes on and belongs to the admins; null if it has an owner.
    former_owner: Option<Actor>,
    /// Time since which the alert has no owner, RFC 3339 in UTC; null if it has one.
    #[schema(value_type = Option<String>, format = DateTime)]
    owner_left_at: Option<Timestamp>,
    /// Metric that is compared with the threshold.
    #[schema(value_type = enum_schemas::AlertMetric, example = "incursions")]
    metric: &'static str,
    /// Unit of the threshold and of values.
    #[schema(value_type = enum_schemas::AlertUnit, example = "count")]
    unit: &'static str,
    /// Whether the alert fires at and above the threshold, or at and below it.
    #[schema(value_type = enum_schemas::AlertComparison, example = "above")]
    comparison: &'static str,
    /// Threshold, in the unit of the metric.
    #[schema(value_type = f64, example = 10)]
    threshold: Value,
    /// Length of the window that always ends now, in minutes; null if the window is a day or week, or the metric has none.
    #[schema(example = 60)]
    window_minutes: Option<i64>,
    /// Window that begins anew with each day or week, by the clock of the site that a split is at, or else by one clock for all; null if it has a length, or the metric has none.
    #[schema(value_type = Option<enum_schemas::CalendarUnit>)]
    window: Option<&'static str>,
    /// Incursions that the window must have before the value is judged; null if the metric has no such number.
    minimum_count: Option<i64>,
    /// Records that the alert is about.
    scope: AlertScope,
    /// Dimension whose members have one alarm each.
    #[schema(value_type = enum_schemas::AlertSplit, example = "none")]
    split_by: &'static str,
    /// Hours in which people are notified; null for all.
    active_hours: Option<AlertHours>,
    /// Treatment of alarms outside the active hours.
    #[schema(value_type = enum_schemas::OutsideHours, example = "hold")]
    outside_hours: &'static str,
    /// Minutes after a clearing during which the same split does not fire again.
    #[schema(example = 60)]
    cool_down_minutes: i64,
    /// Severity of the alarms.
    #[schema(value_type = enum_schemas::AlertSeverity, example = "warning")]
    severity: &'static str,
    /// Recipients of the mails. None are left if all of them were erased.
    recipients: Vec<AlertRecipient>,
    /// Whether the recipients are also notified when an alarm has cleared.
    #[schema(example = false)]
    notify_on_clear: bool,
    /// Whether the alert is evaluated.
    #[schema(example = true)]
    enabled: bool,
    /// Result of the last evaluation; `ok` before the first one.
    #[schema(value_type = enum_schemas::AlertStatus, example = "ok")]
    status: &'static str,
    /// Reason for the status `no_data`, `stopped` or `disabled`, such as `no_runtime` or `scope_archived`; `too_many` if the alert is
    /// `firing` with as many open alarms as there may be and more has crossed the threshold, or if it has more groups than can be counted;
    /// `too_many_of_brand` if it is not looked at because older alerts have as many splits as those of a brand may have; otherwise null.
    #[schema(value_type = Option<enum_schemas::AlertStatusReason>, example = "no_runtime")]
    status_reason: Option<String>,
    /// Time of the evaluation that last changed the status, or of the first one, RFC 3339 in UTC; for `drift`, of the last look at the
    /// weeks. Null before that, and after a change of the alert until it has been looked at.
    #[schema(value_type = Option<String>, format = DateTime, example = "2026-03-01T08:00:00Z")]
    judged_at: Option<Timestamp>,
    /// Number of alarms that are open now, as far as you see them.
    #[schema(example = 0)]
    open_firings: i64,
    /// Identifiers of the projects whose facts the alert counts, which are those of its owner; null for all.
    #[schema(example = json!([2]))]
    project_ids: Option<Vec<i64>>,
    /// Time at which the alert was created, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    created_at: Timestamp,
    /// Time at which the alert was last changed, RFC 3339 in UTC. Evaluation changes the status alone.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    updated_at: Timestamp,
}

fn shape(view: AlertView) -> Alert {
    let AlertView { rule, recipients, projects, open_firings, .. } = view;
    let (owner, former_owner) = match rule.owner_left_at {
        None => (Some(rule.owner.into()), None),
        Some(_) => (None, Some(rule.owner.into())),
    };
    let (window_minutes, window) = match rule.terms.window {
        Some(AlertWindow::Rolling { minutes }) => (Some(minutes), None),
        Some(AlertWindow::Calendar(unit)) => (None, Some(unit.as_str())),
        None => (None, None),
    };
    Alert {
        id: rule.id.0,
        name: rule.name,
        owner,
        former_owner,
        owner_left_at: rule.owner_left_at,
        metric: rule.terms.metric.as_str(),
        unit: rule.terms.metric.unit().as_str(),
        comparison: rule.terms.comparison.as_str(),
        threshold: web::json_number(Some(rule.terms.threshold.as_f64())),
        window_minutes,
        window,
        minimum_count: rule.terms.minimum_count,
        scope: rule.terms.scope.into(),
        split_by: rule.terms.split_by.as_str(),
        active_hours: rule.active_hours.map(Into::into),
        outside_hours: rule.outside_hours.as_str(),
        cool_down_minutes: rule.cool_down_minutes,
        severity: rule.severity.as_str(),
        recipients: recipients.into_iter().map(Into::into).collect(),
        notify_on_clear: rule.notify_on_clear,
        enabled: rule.enabled,
        status: rule.status.as_str(),
        status_reason: rule.status_reason,
        judged_at: rule.judged_at,
        open_firings,
        project_ids: projects.map(|ids| ids.into_iter().map(|id| id.0).collect()),
        created_at: rule.created_at,
        updated_at: rule.updated_at,
    }
}
