//! /api/v1/alerts/{id}/firings: the alarms of an alert, and how firings are shown.

mod get;
mod list;
pub mod params;

use app::{App, FiringLabels, FiringView};
use domain::{AlertDelivery, AlertEvent, ClearReason, Measurement, NotNotifiedReason, Timestamp};
use serde_json::{Value, json};
use web::{List, OperationRouter, enum_schemas, routes};

use crate::machines::BaseStationReference;
use crate::references::{NamedReference, TagReference};

pub type AlertFiringList = List<AlertFiring>;

pub fn routes() -> OperationRouter {
    OperationRouter::new().routes(routes!(list::list_firings_of_alert)).routes(routes!(get::get_alert_firing))
}

/// A firing: one alarm of an alert, from the crossing of the threshold to the clearing.
#[web::answer]
pub struct AlertFiring {
    /// Identifier of the firing.
    #[schema(example = 31)]
    id: i64,
    /// Alert that fired. It may have been deleted since.
    alert: NamedReference,
    /// State of the firing: nobody has been notified of one that is `held`, because it fired outside the active hours.
    #[schema(value_type = enum_schemas::FiringState, example = "fired")]
    state: &'static str,
    /// Metric that crossed the threshold.
    #[schema(value_type = enum_schemas::AlertMetric, example = "incursions")]
    metric: &'static str,
    /// Unit of the threshold and of values.
    #[schema(value_type = enum_schemas::AlertUnit, example = "count")]
    unit: &'static str,
    /// Whether the alert fired at and above the threshold, or at and below it.
    #[schema(value_type = enum_schemas::AlertComparison, example = "above")]
    comparison: &'static str,
    /// Threshold when the alert fired.
    #[schema(value_type = f64, example = 10)]
    threshold: Value,
    /// Severity when the alert fired.
    #[schema(value_type = enum_schemas::AlertSeverity, example = "warning")]
    severity: &'static str,
    /// Value when the alert fired, in the unit of the metric.
    #[schema(value_type = f64, example = 12)]
    value: Value,
    /// Numerator of the value: a count, or a sum in whole units.
    #[schema(example = 12)]
    numerator: i64,
    /// Denominator of the value; 1 if the metric has none. Runtime is in milliseconds.
    #[schema(example = 1)]
    denominator: i64,
    /// Value that was furthest beyond the threshold since.
    peak: AlertValue,
    /// Window in which the value was counted, everywhere from the same time to the same time; null if the metric has none. For `drift`,
    /// the bounds are those of the last four weeks by `time_zone`, and each site counts by its own weeks.
    window: Option<AlertFiringWindow>,
    /// Time zone of the site concerned. Messages give times in it, active hours without a time zone of their own count by it, and a window
    /// that is a day or week began by it.
    #[schema(example = "Europe/Berlin")]
    time_zone: String,
    /// Project that the firing is about; null if it is about several, or none.
    project: Option<NamedReference>,
    /// Worksite that the firing is about; null if it is about several, or none.
    worksite: Option<NamedReference>,
    /// Machine that the firing is about; null if it is about several, or none.
    machine: Option<NamedReference>,
    /// Base station that the firing is about; null if it is about several, or none.
    base_station: Option<BaseStationReference>,
    /// Person that the firing is about, called such as `Person 7` for callers who may not see the name; null if it is about several or
    /// none, and after the person was erased.
    person: Option<NamedReference>,
    /// Tag that the firing is about; null if it is about several, or none.
    tag: Option<TagReference>,
    /// Identifier of the visit that the firing is about; null if it is about none.
    visitor_session_id: Option<i64>,
    /// Identifiers of up to 20 incursions that the value rests on, the newest first.
    #[schema(example = json!([907, 903]))]
    incursion_ids: Vec<i64>,
    /// Further numbers that explain the value; the members depend on the metric.
    #[schema(value_type = Object)]
    details: Value,
    /// Last change of the brand's facts that the value includes.
    #[schema(example = 4711)]
    seq: i64,
    /// Time at which the alert fired, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    fired_at: Timestamp,
    /// Time until which the firing is held, RFC 3339 in UTC; null if it is not.
    #[schema(value_type = Option<String>, format = DateTime)]
    held_until: Option<Timestamp>,
    /// Reason why nobody was notified of the firing, and nobody will be: `outside_hours` if the alert drops what fires outside its active
    /// hours, `cleared_while_held` if it had cleared before they began. Null if somebody was notified, or will be.
    #[schema(value_type = Option<enum_schemas::NotNotifiedReason>)]
    not_notified_reason: Option<&'static str>,
    /// Time at which the alarm cleared, RFC 3339 in UTC; null while it is open.
    #[schema(value_type = Option<String>, format = DateTime)]
    cleared_at: Option<Timestamp>,
    /// Reason why it cleared; null while it is open.
    #[schema(value_type = Option<enum_schemas::ClearReason>)]
    clear_reason: Option<&'static str>,
    /// Value on which it cleared; null while it is open, and if there was none any more.
    cleared_value: Option<AlertValue>,
    /// Address of the page about the firing.
    #[schema(example = "https://keepclear.example.com/alerts/4/firings/31")]
    url: String,
    /// Time at which the firing was recorded, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    created_at: Timestamp,
    /// Time at which the firing last changed, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    updated_at: Timestamp,
}

/// A firing with what was sent about it.
#[web::answer]
pub struct AlertFiringWithDeliveries {
    #[serde(flatten)]
    firing: AlertFiring,
    /// Mails and calls of webhooks about the firing.
    deliveries: Vec<AlertFiringDelivery>,
}

/// A value of a firing with what it was computed from.
#[web::answer]
pub struct AlertValue {
    /// Value, in the unit of the metric.
    #[schema(value_type = f64, example = 15)]
    value: Value,
    /// Numerator of the value.
    #[schema(example = 15)]
    numerator: i64,
    /// Denominator of the value; 1 if the metric has none.
    #[schema(example = 1)]
    denominator: i64,
}

/// The window in which a value was measured.
#[web::answer]
pub struct AlertFiringWindow {
    /// Start of the window, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T07:00:00Z")]
    from: Timestamp,
    /// End of the window, exclusive, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    to: Timestamp,
}

/// A mail to one recipient, or a call of one webhook.
#[web::answer]
pub struct AlertFiringDelivery {
    /// Identifier of the delivery.
    #[schema(example = 55)]
    id: i64,
    /// Identifier of the recipient; null for a webhook, and if the recipient was removed.
    #[schema(example = 12)]
    recipient_id: Option<i64>,
    /// Identifier of the webhook; null for a recipient.
    webhook_id: Option<i64>,
    /// For a webhook: `fired` or `cleared`; null for a mail, which can be about both.
    #[schema(value_type = Option<enum_schemas::AlertEvent>, example = "fired")]
    event: Option<&'static str>,
    /// State of the delivery.
    #[schema(value_type = enum_schemas::DeliveryState, example = "sent")]
    state: &'static str,
    /// Reason why it failed or was not sent; null if there is none.
    #[schema(example = "unsubscribed")]
    reason: Option<String>,
    /// Number of attempts.
    #[schema(example = 1)]
    attempts: i64,
    /// Time of the last attempt, RFC 3339 in UTC; null before the first one.
    #[schema(value_type = Option<String>, format = DateTime)]
    last_attempt_at: Option<Timestamp>,
    /// Time at which it was handed over, RFC 3339 in UTC; null if it was not.
    #[schema(value_type = Option<String>, format = DateTime)]
    sent_at: Option<Timestamp>,
    /// Time at which it was queued, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    created_at: Timestamp,
    /// Time at which it last changed, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    updated_at: Timestamp,
}

pub fn shape(app: &App, view: FiringView) -> AlertFiring {
    let FiringView { firing, labels, .. } = view;
    let FiringLabels { project, worksite, machine, base_station, person, tag } = labels;
    let (subject, value) = (firing.subject, firing.value());
    let named =
        |id: Option<i64>, name: Option<String>| id.zip(name).map(|(id, name)| NamedReference { id, name });
    AlertFiring {
        id: firing.id.0,
        state: firing.state().as_str(),
        metric: firing.metric.as_str(),
        unit: firing.metric.unit().as_str(),
        comparison: firing.comparison.as_str(),
        threshold: web::json_number(Some(firing.threshold.as_f64())),
        severity: firing.severity.as_str(),
        value: number(value),
        numerator: value.numerator,
        denominator: value.denominator,
        peak: shape_value(firing.peak()),
        window: firing.window_from.map(|from| AlertFiringWindow { from, to: firing.window_to }),
        time_zone: firing.time_zone.to_string(),
        project: named(subject.project.map(|id| id.0), project),
        worksite: named(subject.worksite.map(|id| id.0), worksite),
        machine: named(subject.machine.map(|id| id.0), machine),
        base_station: subject
            .base_station
            .zip(base_station)
            .map(|(id, serial)| BaseStationReference { id: id.0, serial }),
        person: named(subject.person.map(|id| id.0), person),
        tag: subject.tag.zip(tag).map(|(id, serial)| TagReference { id: id.0, serial }),
        visitor_session_id: subject.visit.map(|id| id.0),
        incursion_ids: firing.incursion_ids().into_iter().map(|id| id.0).collect(),
        details: serde_json::from_str(&firing.details).unwrap_or_else(|_| json!({})),
        seq: firing.seq,
        fired_at: firing.fired_at,
        held_until: firing.held_until,
        not_notified_reason: firing.not_notified_reason().map(NotNotifiedReason::as_str),
        cleared_at: firing.cleared_at,
        clear_reason: firing.clear_reason.map(ClearReason::as_str),
        cleared_value: firing.cleared_value().map(shape_value),
        url: app.firing_url(&firing),
        created_at: firing.created_at,
        updated_at: firing.updated_at,
        alert: NamedReference { id: firing.rule.0, name: firing.rule_name },
    }
}

fn shape_delivery(delivery: AlertDelivery) -> AlertFiringDelivery {
    AlertFiringDelivery {
        id: delivery.id.0,
        recipient_id: delivery.recipient.map(|id| id.0),
        webhook_id: delivery.webhook.map(|id| id.0),
        event: delivery.event.map(AlertEvent::as_str),
        state: delivery.state.as_str(),
        reason: delivery.reason,
        attempts: delivery.attempts,
        last_attempt_at: delivery.last_attempt_at,
        sent_at: delivery.sent_at,
        created_at: delivery.created_at,
        updated_at: delivery.updated_at,
    }
}

fn shape_value(value: Measurement) -> AlertValue {
    AlertValue { value: number(value), numerator: value.numerator, denominator: value.denominator }
}

fn number(value: Measurement) -> Value {
    web::json_number(Some(value.as_f64()))
}
