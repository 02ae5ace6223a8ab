//! The bodies of calls. The firing is shown as `GET /api/v1/alerts/{id}/firings/{firing_id}` shows it, without deliveries, and as it is
//! when the call is made; `type` and `timestamp` say which event it is about.

use domain::{
    AlertComparison, AlertDelivery, AlertEvent, AlertFiring, AlertFiringId, AlertLevel, AlertMetric,
    AlertRule, AlertRuleId, AlertSeverity, BrandId, ClearReason, FiringSubject, Measurement,
    NotNotifiedReason, Span, SplitKey, TimeZone, Timestamp,
};
use serde_json::{Value, json};
use store::{RuleViewer, Scope, Tx};

use crate::alerts::test_message::MAX_MEASURING_ATTEMPTS;
use crate::insights::QueryScope;
use crate::{App, Error, FiringLabels, Names};

/// The rule of the example with which a webhook itself is tested.
const NO_RULE: AlertRuleId = AlertRuleId(0);

impl App {
    /// Returns the body of a call, or `None` if what it is about is gone. People are called by their names if the brand allows it.
    pub(super) async fn webhook_body(
        &self,
        brand: BrandId,
        delivery: &AlertDelivery,
    ) -> Result<Option<Vec<u8>>, Error> {
        let scope = self.scope_of(brand);
        let event = delivery.event.ok_or_else(|| Error::internal("a call is about no event"))?;
        let mut tx = self.store.read().await?;
        let settings = tx.brand_settings(&scope).await?.values;
        let (found, rule) = match (event, delivery.firing) {
            (AlertEvent::Test, _) => (None, find_rule(&mut tx, &scope, delivery).await?),
            (AlertEvent::Fired | AlertEvent::Cleared, Some(id)) => {
                (tx.alert_firings(&scope).among(&[id]).await?.pop(), None)
            }
            (AlertEvent::Fired | AlertEvent::Cleared, None) => (None, None),
        };
        drop(tx);
        let firing = match (event, found, rule) {
            (_, Some(firing), _) => firing,
            (AlertEvent::Test, None, Some(rule)) => {
                let message = delivery.message.ok_or_else(|| Error::internal("a test has no message"))?;
                // A receiver is tested all the same if there is no value.
                let attempt = MAX_MEASURING_ATTEMPTS;
                let measured = self.measure_for_test(message, &rule, brand, attempt).await?;
                self.sample_firing(&rule, &measured, scope.projects(), &settings.time_zone).0
            }
            (AlertEvent::Test, None, None) => example_firing(&settings.time_zone, delivery.created_at),
            (AlertEvent::Fired | AlertEvent::Cleared, None, _) => return Ok(None),
        };
        let names = if settings.alerts_show_names { Names::Shown } else { Names::Hidden };
        let of = QueryScope { scope: &scope, names };
        let labels = self.label_firings(of, std::slice::from_ref(&firing)).await?.pop().unwrap_or_default();
        let pages = format!("{}/alerts", self.alerts.setup.base_url);
        // What is made up has no page.
        let url = match (event, firing.rule) {
            (AlertEvent::Fired | AlertEvent::Cleared, _) => self.firing_url(&firing),
            (AlertEvent::Test, NO_RULE) => pages,
            (AlertEvent::Test, rule) => format!("{pages}/{rule}"),
        };
        serde_json::to_vec(&body(event, delivery, &firing, &labels, &url)).map(Some).map_err(Error::internal)
    }
}

/// Returns the rule that a test is about; none if a webhook itself is tested, or the rule is gone.
async fn find_rule(tx: &mut Tx, scope: &Scope, delivery: &AlertDelivery) -> Result<Option<AlertRule>, Error> {
    let Some(message) = delivery.message else { return Ok(None) };
    match tx.alert_messages(scope).find(message).await? {
        Some(message) => Ok(tx.alert_rules(scope).find(message.rule, RuleViewer::Brand).await?),
        None => Ok(None),
    }
}

/// Returns a firing of no rule that never happened, so that a receiver is tested with all members.
fn example_firing(zone: &TimeZone, at: Timestamp) -> AlertFiring {
    let (numerator, denominator) = (12, 1);
    AlertFiring {
        id: AlertFiringId(0),
        rule: NO_RULE,
        rule_name: "Test".to_owned(),
        split_key: SplitKey::new(Vec::new()),
        subject: FiringSubject::default(),
        metric: AlertMetric::Incursions,
        comparison: AlertComparison::Above,
        threshold: AlertLevel::whole(10),
        severity: AlertSeverity::Info,
        numerator,
        denominator,
        peak_numerator: numerator,
        peak_denominator: denominator,
        window_from: Some(at - Span::minutes(60)),
        window_to: at,
        time_zone: zone.clone(),
        seq: 0,
        incursions: "[]".to_owned(),
        details: "{}".to_owned(),
        all_projects: true,
        fired_at: at,
        held_until: None,
        is_told: true,
        no_data_since: None,
        cleared_at: None,
        clear_reason: None,
        cleared_numerator: None,
        cleared_denominator: None,
        version: 1,
        created_at: at,
        updated_at: at,
    }
}

fn body(
    event: AlertEvent,
    delivery: &AlertDelivery,
    firing: &AlertFiring,
    labels: &FiringLabels,
    url: &str,
) -> Value {
    let at = match event {
        AlertEvent::Fired => firing.fired_at,
        AlertEvent::Cleared => firing.cleared_at.unwrap_or(firing.updated_at),
        AlertEvent::Test => delivery.created_at,
    };
    json!({
        "type": format!("alert.{}", event.as_str()),
        "timestamp": at,
        "data": {
            "firing": shown_firing(firing, labels, url),
            "alert": {
                "id": firing.rule.0,
                "name": firing.rule_name,
                "metric": firing.metric.as_str(),
                "unit": firing.metric.unit().as_str(),
                "severity": firing.severity.as_str(),
            },
            "url": url,
            "test": event == AlertEvent::Test,
        },
    })
}

fn shown_firing(firing: &AlertFiring, labels: &FiringLabels, url: &str) -> Value {
    let subject = &firing.subject;
    let incursion_ids: Vec<i64> = firing.incursion_ids().iter().map(|id| id.0).collect();
    json!({
        "id": firing.id.0,
        "alert": { "id": firing.rule.0, "name": firing.rule_name },
        "state": firing.state().as_str(),
        "metric": firing.metric.as_str(),
        "unit": firing.metric.unit().as_str(),
        "comparison": firing.comparison.as_str(),
        "threshold": number(firing.threshold.as_f64()),
        "severity": firing.severity.as_str(),
        "value": number(firing.value().as_f64()),
        "numerator": firing.numerator,
        "denominator": firing.denominator,
        "peak": shown_value(firing.peak()),
        "window": firing.window_from.map(|from| json!({ "from": from, "to": firing.window_to })),
        "time_zone": firing.time_zone.as_str(),
        "project": named(subject.project.map(|id| id.0), labels.project.as_deref()),
        "worksite": named(subject.worksite.map(|id| id.0), labels.worksite.as_deref()),
        "machine": named(subject.machine.map(|id| id.0), labels.machine.as_deref()),
        "base_station": device(subject.base_station.map(|id| id.0), labels.base_station.as_deref()),
        "person": named(subject.person.map(|id| id.0), labels.person.as_deref()),
        "tag": device(subject.tag.map(|id| id.0), labels.tag.as_deref()),
        "visitor_session_id": subject.visit.map(|id| id.0),
        "incursion_ids": incursion_ids,
        "details": serde_json::from_str::<Value>(&firing.details).unwrap_or_else(|_| json!({})),
        "seq": firing.seq,
        "fired_at": firing.fired_at,
        "held_until": firing.held_until,
        "not_notified_reason": firing.not_notified_reason().map(NotNotifiedReason::as_str),
        "cleared_at": firing.cleared_at,
        "clear_reason": firing.clear_reason.map(ClearReason::as_str),
        "cleared_value": firing.cleared_value().map(shown_value),
        "url": url,
        "created_at": firing.created_at,
        "updated_at": firing.updated_at,
    })
}

fn shown_value(value: Measurement) -> Value {
    let Measurement { numerator, denominator, .. } = value;
    json!({ "value": number(value.as_f64()), "numerator": numerator, "denominator": denominator })
}

fn named(id: Option<i64>, name: Option<&str>) -> Option<Value> {
    id.zip(name).map(|(id, name)| json!({ "id": id, "name": name }))
}

fn device(id: Option<i64>, serial: Option<&str>) -> Option<Value> {
    id.zip(serial).map(|(id, serial)| json!({ "id": id, "serial": serial }))
}

/// Returns a number as JSON: without a decimal point if it is whole.
fn number(value: f64) -> Value {
    // Beyond this limit not every whole number can be represented.
    if value.fract() == 0.0 && value.abs() < 9e15 { Value::from(value as i64) } else { Value::from(value) }
}
