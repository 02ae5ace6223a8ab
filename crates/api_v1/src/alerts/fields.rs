//! The fields of an alert, as bodies have them.

use domain::{
    ActiveHours, AlertComparison, AlertLevel, AlertMetric, AlertSeverity, AlertSplit, AlertTerms,
    AlertWindow, CalendarUnit, GivenTerms, Invalid, Name, NewRecipient, OutsideHours,
};
use serde_json::Value;
use web::{Fields, FromFields, enum_schemas};

use super::hours_fields::{NewAlertHours, read_active_hours};
use super::recipient_fields::{NewAlertRecipient, read_recipients};
use super::scope_fields::{NewAlertScope, read_scope};

/// Minutes after a clearing in which the same does not fire again, unless the body says otherwise.
const USUAL_COOL_DOWN: i64 = 60;

/// Fields of a new alert. Only `name`, `metric`, `threshold` and `recipients` must be given; the answer shows the others.
#[web::body(parts)]
pub struct NewAlert {
    /// Name of the alert.
    #[schema(example = "Yard, too many", min_length = 1, max_length = 100)]
    name: Name,
    /// Metric that is compared with the threshold.
    #[schema(value_type = enum_schemas::AlertMetric, example = "incursions")]
    metric: AlertMetric,
    /// Whether the alert fires at and above the threshold, or at and below it. The default depends on the metric.
    #[schema(value_type = Option<enum_schemas::AlertComparison>, example = "above")]
    comparison: Option<AlertComparison>,
    /// Threshold, in the unit of the metric and within its range; a whole number for counts, days, minutes and per cent.
    #[schema(value_type = f64, example = 10)]
    #[field(with = read_threshold)]
    threshold: AlertLevel,
    /// Length of the window that always ends now, in minutes. Some metrics cannot be known in a short one, and some have none. The default
    /// is an hour or a day, as the metric says.
    #[schema(example = 60)]
    #[field(range = 5..=43_200)]
    window_minutes: Option<i64>,
    /// Instead of `window_minutes`: `day` or `week`, from local midnight or Monday until now, by the clock of the site that the split is at,
    /// or else by one clock for all sites: the one that they share, or that of the brand.
    #[schema(value_type = Option<enum_schemas::CalendarUnit>, example = json!(null))]
    window: Option<CalendarUnit>,
    /// For rates: incursions that the window must have before the value is judged. The default depends on the metric.
    #[field(range = 0..=100_000)]
    minimum_count: Option<i64>,
    /// Records that the alert is about, as far as you see them. The default is everything that you see.
    #[schema(value_type = Option<NewAlertScope>)]
    #[field(read = read_scope)]
    scope: domain::AlertScope,
    /// Dimension whose members have one alarm each. The default depends on the metric.
    #[schema(value_type = Option<enum_schemas::AlertSplit>, example = "none")]
    split_by: Option<AlertSplit>,
    /// Hours in which people are notified; null for all.
    #[schema(value_type = Option<NewAlertHours>)]
    #[field(read = read_active_hours)]
    active_hours: Option<ActiveHours>,
    /// Treatment of alarms outside the active hours: `hold` sends its message when they begin, unless it has cleared, and `drop`
    /// never. The default is `hold`.
    #[schema(value_type = Option<enum_schemas::OutsideHours>, example = "hold")]
    outside_hours: Option<OutsideHours>,
    /// Minutes after a clearing during which the same split does not fire again. The default is 60.
    #[schema(example = 60)]
    #[field(range = 0..=10_080)]
    cool_down_minutes: Option<i64>,
    /// Severity of the alarms. The default is `warning`.
    #[schema(value_type = Option<enum_schemas::AlertSeverity>, example = "warning")]
    severity: Option<AlertSeverity>,
    /// Recipients of the mails: 1 to 50 users and addresses, each once.
    #[schema(value_type = Vec<NewAlertRecipient>, min_items = 1, max_items = 50,
        example = json!([{ "email": "ada@example.com" }]))]
    #[field(read = read_recipients)]
    recipients: Vec<NewRecipient>,
    /// Whether the recipients are also notified when an alarm has cleared. The default is false.
    #[schema(example = false)]
    notify_on_clear: Option<bool>,
    /// Whether the alert is evaluated. The default is true.
    #[schema(example = true)]
    enabled: Option<bool>,
}

/// The parsed fields, with all defaults.
pub struct AlertFields(pub app::NewAlert);

impl FromFields for AlertFields {
    fn read(fields: &mut Fields) -> Option<Self> {
        let mut parts = NewAlert::read_parts(fields);
        let terms = read_terms(fields, &mut parts);
        Some(Self(app::NewAlert {
            name: parts.name?,
            terms: terms?,
            active_hours: parts.active_hours?,
            outside_hours: parts.outside_hours?.unwrap_or(OutsideHours::Hold),
            cool_down_minutes: parts.cool_down_minutes?.unwrap_or(USUAL_COOL_DOWN),
            severity: parts.severity?.unwrap_or(AlertSeverity::Warning),
            notify_on_clear: parts.notify_on_clear?.unwrap_or(false),
            enabled: parts.enabled?.unwrap_or(true),
            recipients: parts.recipients?,
        }))
    }
}

/// Puts together what is judged, with the defaults of the metric. `None` means that an error was recorded.
fn read_terms(fields: &mut Fields, parts: &mut NewAlertParts) -> Option<AlertTerms> {
    let window = match (parts.window_minutes?, parts.window?) {
        (Some(_), Some(_)) => {
            let ambiguous = Invalid::new("ambiguous", "must not be given with window_minutes");
            return fields.add_fault("window", ambiguous);
        }
        (Some(minutes), None) => Some(AlertWindow::Rolling { minutes }),
        (None, Some(unit)) => Some(AlertWindow::Calendar(unit)),
        (None, None) => None,
    };
    let terms = GivenTerms {
        metric: parts.metric?,
        comparison: parts.comparison?,
        threshold: parts.threshold?,
        window,
        minimum_count: parts.minimum_count?,
        scope: parts.scope.take()?,
        split_by: parts.split_by?,
    }
    .complete();
    let faults = terms.check();
    let is_sound = faults.is_empty();
    for (field, invalid) in faults {
        let _: Option<()> = fields.add_fault(field, invalid);
    }
    is_sound.then_some(terms)
}

/// Reads any number. Whole ones are exact, others are rounded to six decimals.
fn read_threshold(value: &Value) -> Result<AlertLevel, Invalid> {
    if let Some(whole) = value.as_i64() {
        return Ok(AlertLevel::whole(whole));
    }
    match value.as_f64() {
        Some(number) => AlertLevel::from_f64(number)
            .ok_or_else(|| Invalid::new("out_of_range", "must be a number within the range of the metric")),
        None => Err(Invalid::new("wrong_type", "must be a number")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(more: Value) -> Result<app::NewAlert, Vec<String>> {
        let mut body = json!({
            "name": "Yard", "metric": "incursions", "threshold": 10, "recipients": [{ "user_id": 1 }],
        });
        let (Value::Object(body), Value::Object(more)) = (&mut body, more) else { panic!("objects") };
        body.extend(more);
        let read = web::read_fields(body.clone(), AlertFields::read);
        read.map(|AlertFields(new)| new).map_err(|error| {
            error.fields.iter().map(|fault| format!("{}: {}", fault.field, fault.invalid.code)).collect()
        })
    }

    #[test]
    fn what_is_left_out_has_the_defaults_of_the_metric() {
        let new = read(json!({})).unwrap();
        assert_eq!(new.terms.window, Some(AlertWindow::Rolling { minutes: 60 }));
        assert_eq!((new.terms.comparison, new.terms.split_by), (AlertComparison::Above, AlertSplit::None));
        assert_eq!((new.cool_down_minutes, new.severity), (60, AlertSeverity::Warning));
        assert_eq!((new.notify_on_clear, new.enabled, new.active_hours), (false, true, None));
        let rate = read(json!({ "metric": "acknowledgement_rate", "threshold": 0.8 })).unwrap().terms;
        assert_eq!((rate.comparison, rate.minimum_count), (AlertComparison::Below, Some(10)));
        assert_eq!(rate.threshold, AlertLevel::from_millionths(800_000));
        let battery = json!({ "metric": "tag_battery_low", "threshold": 20, "split_by": null });
        let battery = read(battery).unwrap().terms;
        assert_eq!((battery.window, battery.split_by), (None, AlertSplit::Tag));
    }

    #[test]
    fn what_does_not_fit_the_metric_is_refused_by_field() {
        let of = |metric: &str, threshold: f64| json!({ "metric": metric, "threshold": threshold });
        let with = |mut body: Value, name: &str, value: Value| {
            body[name] = value;
            body
        };
        let rate = of("acknowledgement_rate", 0.5);
        let battery = of("tag_battery_low", 9.0);
        let drift = of("drift", 30.0);
        for (more, fault) in [
            (json!({ "threshold": 0 }), "threshold: out_of_range"),
            (json!({ "threshold": 2.5 }), "threshold: out_of_range"),
            (json!({ "threshold": 1e308 }), "threshold: out_of_range"),
            (json!({ "threshold": u64::MAX }), "threshold: out_of_range"),
            (json!({ "threshold": i64::MAX }), "threshold: out_of_range"),
            (json!({ "threshold": "10" }), "threshold: wrong_type"),
            (json!({ "threshold": null }), "threshold: required"),
            (json!({ "window_minutes": 60, "window": "day" }), "window: ambiguous"),
            (json!({ "window": "month" }), "window: invalid_window"),
            (json!({ "window_minutes": 4 }), "window_minutes: out_of_range"),
            (with(rate, "window_minutes", json!(14)), "window_minutes: out_of_range"),
            (with(battery, "window_minutes", json!(60)), "window_minutes: not_allowed"),
            (with(drift.clone(), "window", json!("week")), "window: not_allowed"),
            (json!({ "comparison": "below", "window": "day" }), "comparison: not_allowed"),
            (json!({ "minimum_count": 5 }), "minimum_count: not_allowed"),
            (json!({ "split_by": "pair" }), "split_by: not_allowed"),
            (with(drift, "scope", json!({ "tag_ids": [1] })), "scope.tag_ids: not_allowed"),
        ] {
            assert_eq!(read(more.clone()).unwrap_err(), [fault], "{more}");
        }
    }

    #[test]
    fn faults_of_several_fields_are_told_together() {
        let faults = read(json!({ "name": " ", "threshold": 0, "cool_down_minutes": -1, "colour": "red" }));
        let expected = [
            "name: required",
            "cool_down_minutes: out_of_range",
            "threshold: out_of_range",
            "colour: unknown_field",
        ];
        assert_eq!(faults.unwrap_err(), expected);
    }
}
