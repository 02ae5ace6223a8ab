//! Open alarms as lists of other records show them.

use domain::{OpenAlert, Timestamp};

use crate::response::enum_schemas;

/// An alarm that has not cleared: a firing of an alert.
#[macros::answer]
pub struct OpenAlertRecord {
    /// Identifier of the firing.
    #[schema(example = 31)]
    pub id: i64,
    /// Identifier of the alert.
    #[schema(example = 4)]
    pub alert_id: i64,
    /// Name of the alert.
    #[schema(example = "Yard, too many")]
    pub name: String,
    /// What the alert measures.
    #[schema(value_type = enum_schemas::AlertMetric, example = "incursions")]
    pub metric: &'static str,
    /// Severity of the alert.
    #[schema(value_type = enum_schemas::AlertSeverity, example = "warning")]
    pub severity: &'static str,
    /// Time at which it fired, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    pub fired_at: Timestamp,
}

pub fn shape_open_alert(alert: OpenAlert) -> OpenAlertRecord {
    OpenAlertRecord {
        id: alert.id.0,
        alert_id: alert.rule.0,
        name: alert.rule_name,
        metric: alert.metric.as_str(),
        severity: alert.severity.as_str(),
        fired_at: alert.fired_at,
    }
}
