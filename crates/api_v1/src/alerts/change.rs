//! PATCH /api/v1/alerts/{id}

use std::sync::Arc;

use app::{AlertChange, AlertView, App};
use axum::extract::State;
use domain::access::{ManageAlerts, ReadInsights};
use domain::{AlertRuleId, Invalid};
use serde_json::{Map, Value};
use web::{
    Caller, DeferredBody, Fields, FixedMembers, FromFields, IfMatchHeader, NoParams, PathId, Result,
    enum_schemas, problem,
};

use super::fields::AlertFields;
use super::hours_fields::NewAlertHours;
use super::recipient_fields::NewAlertRecipient;
use super::scope_fields::NewAlertScope;
use super::{Alert, shape};

/// Changes to an alert. Fields that are left out keep their values, and null restores the default.
#[web::body(of = Alert)]
pub struct ChangedAlert {
    /// Name of the alert.
    #[schema(value_type = Option<String>, nullable = false, example = "Yard, too many", min_length = 1, max_length = 100)]
    #[field(read = given_value)]
    name: Option<Value>,
    /// Metric that is compared with the threshold. Another metric drops the comparison, the window, the minimum count and the split that are not given with it.
    #[schema(value_type = Option<enum_schemas::AlertMetric>, nullable = false, example = "incursions")]
    #[field(read = given_value)]
    metric: Option<Value>,
    /// Whether the alert fires at and above the threshold, or at and below it.
    #[schema(value_type = Option<enum_schemas::AlertComparison>, example = "above")]
    #[field(read = given)]
    comparison: Option<Value>,
    /// Threshold, in the unit of the metric and within its range.
    #[schema(value_type = Option<f64>, nullable = false, example = 10)]
    #[field(read = given_value)]
    threshold: Option<Value>,
    /// Length of the window that always ends now, in minutes. It replaces `window`.
    #[schema(value_type = Option<i64>, minimum = 5, maximum = 43200, example = 60)]
    #[field(read = given)]
    window_minutes: Option<Value>,
    /// `day` or `week`, from local midnight or Monday until now. It replaces `window_minutes`.
    #[schema(value_type = Option<enum_schemas::CalendarUnit>)]
    #[field(read = given)]
    window: Option<Value>,
    /// For rates: incursions that the window must have before the value is judged.
    #[schema(value_type = Option<i64>, minimum = 0, maximum = 100000)]
    #[field(read = given)]
    minimum_count: Option<Value>,
    /// Records that the alert is about, instead of all that there are; null for everything that its owner sees.
    #[schema(value_type = Option<NewAlertScope>)]
    #[field(read = given)]
    scope: Option<Value>,
    /// Dimension whose members have one alarm each.
    #[schema(value_type = Option<enum_schemas::AlertSplit>, example = "none")]
    #[field(read = given)]
    split_by: Option<Value>,
    /// Hours in which people are notified; null for all.
    #[schema(value_type = Option<NewAlertHours>)]
    #[field(read = given)]
    active_hours: Option<Value>,
    /// Treatment of alarms outside the active hours.
    #[schema(value_type = Option<enum_schemas::OutsideHours>, example = "hold")]
    #[field(read = given)]
    outside_hours: Option<Value>,
    /// Minutes after a clearing during which the same split does not fire again.
    #[schema(value_type = Option<i64>, minimum = 0, maximum = 10080, example = 60)]
    #[field(read = given)]
    cool_down_minutes: Option<Value>,
    /// Severity of the alarms.
    #[schema(value_type = Option<enum_schemas::AlertSeverity>, example = "warning")]
    #[field(read = given)]
    severity: Option<Value>,
    /// Recipients of the mails: 1 to 50 users and addresses, each once, instead of all that there are. Those who stay keep their identifiers, and
    /// whether they left or were refused.
    #[schema(value_type = Option<Vec<NewAlertRecipient>>, nullable = false, min_items = 1, max_items = 50,
        example = json!([{ "email": "ada@example.com" }]))]
    #[field(read = given_value)]
    recipients: Option<Value>,
    /// Whether the recipients are also notified when an alarm has cleared.
    #[schema(value_type = Option<bool>, example = false)]
    #[field(read = given)]
    notify_on_clear: Option<Value>,
    /// Whether the alert is evaluated.
    #[schema(value_type = Option<bool>, example = true)]
    #[field(read = given)]
    enabled: Option<Value>,
}

/// Members that a body can set.
const MEMBERS: [&str; 16] = [
    "name",
    "metric",
    "comparison",
    "threshold",
    "window_minutes",
    "window",
    "minimum_count",
    "scope",
    "split_by",
    "active_hours",
    "outside_hours",
    "cool_down_minutes",
    "severity",
    "recipients",
    "notify_on_clear",
    "enabled",
];

impl ChangedAlert {
    fn into_members(self) -> Map<String, Value> {
        // In the order of `MEMBERS`.
        let values = [
            self.name,
            self.metric,
            self.comparison,
            self.threshold,
            self.window_minutes,
            self.window,
            self.minimum_count,
            self.scope,
            self.split_by,
            self.active_hours,
            self.outside_hours,
            self.cool_down_minutes,
            self.severity,
            self.recipients,
            self.notify_on_clear,
            self.enabled,
        ];
        let members = MEMBERS.into_iter().zip(values);
        members.filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
    }
}

/// Takes a value without reading it: it is read together with what the alert has.
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

/// Puts given members over those that an alert is shown with. What does not fit a new value, and was not given, is dropped. Returns none
/// if everything is given as it is shown.
fn merge(shown: &Map<String, Value>, given: &Map<String, Value>) -> Option<Map<String, Value>> {
    let differs = |name: &str| given.get(name).is_some_and(|value| shown.get(name) != Some(value));
    if !given.keys().any(|name| differs(name)) {
        return None;
    }
    let is_new = |name: &str| differs(name) && given.get(name).is_some_and(|value| !value.is_null());
    let has_other_metric = differs("metric");
    let mut members = Map::new();
    for name in MEMBERS {
        // The one that is new replaces the other, even if that was sent back as it was shown.
        let is_replaced = match name {
            "window_minutes" => is_new("window") && !differs(name),
            "window" => is_new("window_minutes") && !differs(name),
            _ => false,
        };
        let fits = !(has_other_metric
            && ["comparison", "window_minutes", "window", "minimum_count", "split_by"].contains(&name));
        let value = given.get(name).or_else(|| shown.get(name).filter(|_| fits));
        if let Some(value) = value.filter(|_| !is_replaced) {
            members.insert(name.to_owned(), value.clone());
        }
    }
    Some(members)
}

/// Change an alert
///
/// What is judged otherwise from then on (another metric, comparison, threshold, window, minimum count, scope or split) closes open alarms,
/// and so does disabling the alert; nobody is notified. A scope is checked by what the owner sees. An admin who gives a new scope to an
/// alert whose owner has left becomes its owner.
///
/// Fails with 403 `not_yours` if the alert is someone else's and you do not manage the whole brand.
#[web::operation(
    patch, path = "/api/v1/alerts/{id}", tag = "alerts", operation_id = "change_alert",
    params(
        ("id" = i64, Path, description = "Identifier of the alert"),
        ("If-Match" = Option<String>, Header, description = "ETag of the version you have read; the answer is 412 if it has changed since"),
    ),
    request_body = ChangedAlert,
    responses(
        (status = 200, description = "The changed alert", body = Alert,
            headers(("ETag" = String, description = "Version of the resource"))),
        problem::BadBody, problem::NotFound, problem::PreconditionFailed,
    ),
)]
pub async fn change_alert(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ManageAlerts>,
    PathId(id): PathId,
    IfMatchHeader(if_match): IfMatchHeader,
    _: NoParams,
    body: DeferredBody,
) -> Result {
    let id = AlertRuleId(id);
    let stored = app.find_alert(&caller.with_permission::<ReadInsights>()?, id).await?;
    let fixed = FixedMembers::new(id.0, stored.rule.created_at);
    let given = body.read_change::<ChangedAlert>(&fixed).await?.into_members();
    let change = read_change(&stored, &given)?;
    let changed = app.change_alert(&caller, id, &if_match, change).await?;
    let version = changed.rule.version;
    Ok(web::with_etag(web::json_response(&shape(changed)), version, None))
}

/// Reads the whole alert as it is to be, by the rules for a new one.
fn read_change(stored: &AlertView, given: &Map<String, Value>) -> Result<AlertChange, app::Error> {
    let shown = match serde_json::to_value(shape(stored.clone())) {
        Ok(Value::Object(shown)) => shown,
        Ok(_) | Err(_) => Map::new(),
    };
    let to = match merge(&shown, given) {
        Some(members) => web::read_fields(members, AlertFields::read)?.0,
        // Not read again: what was stored under other rules stays.
        None => stored.to_new()?,
    };
    let changes_terms = to.terms != stored.rule.terms;
    Ok(AlertChange { to, changes_terms })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn merged(given: Value) -> Value {
        let shown = json!({
            "id": 4, "name": "Yard", "metric": "incursions", "comparison": "above", "threshold": 10,
            "window_minutes": 60, "window": null, "minimum_count": null, "split_by": "none", "status": "ok",
        });
        let (Value::Object(shown), Value::Object(given)) = (shown, given) else { panic!("objects") };
        merge(&shown, &given).map_or(Value::Null, Value::Object)
    }

    #[test]
    fn what_is_not_given_stays() {
        let expected = json!({
            "name": "Gate", "metric": "incursions", "comparison": "above", "threshold": 10,
            "window_minutes": 60, "window": null, "minimum_count": null, "split_by": "none",
        });
        assert_eq!(merged(json!({ "name": "Gate" })), expected);
        assert_eq!(merged(json!({})), Value::Null);
        assert_eq!(merged(json!({ "name": "Yard", "window_minutes": 60, "threshold": 10 })), Value::Null);
    }

    #[test]
    fn another_metric_drops_what_was_not_given_with_it() {
        let given = json!({ "metric": "tag_battery_low", "threshold": 20 });
        assert_eq!(merged(given), json!({ "name": "Yard", "metric": "tag_battery_low", "threshold": 20 }));
        let members = merged(json!({ "metric": "repeat_pair", "window_minutes": 60 }));
        assert_eq!((&members["threshold"], &members["window_minutes"]), (&json!(10), &json!(60)));
        assert_eq!((members.get("split_by"), members.get("comparison")), (None, None));
    }

    #[test]
    fn the_two_kinds_of_windows_replace_each_other() {
        for given in [json!({ "window": "day" }), json!({ "window": "day", "window_minutes": 60 })] {
            let members = merged(given);
            assert_eq!((&members["window"], members.get("window_minutes")), (&json!("day"), None));
        }
        // Both of them new is for the reader to refuse.
        let members = merged(json!({ "window": "day", "window_minutes": 30 }));
        assert_eq!((&members["window"], &members["window_minutes"]), (&json!("day"), &json!(30)));
    }
}
