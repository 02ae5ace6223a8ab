//! What a value was computed from, if not from incursions: the times of devices and visits, and the rates of a drift.

use domain::{AlertFiring, AlertMetric, Timestamp};
use serde_json::Value;
use texts::{Language, Text, alerts};

use super::formats;

/// What explains a value. Times are written by each reader in their own way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FiringFact {
    At(Timestamp),
    Words(String),
}

impl FiringFact {
    /// Writes it for a mail.
    pub(super) fn write(self, language: Language, firing: &AlertFiring) -> String {
        match self {
            Self::At(at) => formats::time(language, at, &firing.time_zone),
            Self::Words(words) => words,
        }
    }
}

/// Returns what explains the value of a firing, with labels.
pub fn explain_firing(language: Language, firing: &AlertFiring) -> Vec<(Text, FiringFact)> {
    let details = details_of(firing);
    let time = |label: Text, name: &str| {
        let at = details.get(name).and_then(Value::as_str).and_then(|text| Timestamp::parse(text).ok());
        at.map(|at| (label, FiringFact::At(at)))
    };
    // What has never happened is said, with since when it could have.
    let never = || FiringFact::Words(alerts::NEVER.get(language).to_owned());
    let last = |(label, name): (Text, &str), (since, since_name): (Text, &str)| match is_null(&details, name)
    {
        true => vec![Some((label, never())), time(since, since_name)],
        false => vec![time(label, name)],
    };
    let facts = match firing.metric {
        AlertMetric::TagTestOverdue => {
            last((alerts::LAST_TEST, "last_test_at"), (alerts::WORN_SINCE, "worn_since"))
        }
        AlertMetric::TagBatteryLow => vec![time(alerts::BATTERY_REPORTED, "reported_at")],
        AlertMetric::BaseStationSilent => {
            last((alerts::LAST_CONTACT, "last_contact_at"), (alerts::INSTALLED_SINCE, "since"))
        }
        AlertMetric::VisitorOverstay => {
            vec![time(alerts::EXPECTED_UNTIL, "since"), time(alerts::CHECKED_IN, "checked_in_at")]
        }
        AlertMetric::Drift => {
            explain_drift(language, &details).unwrap_or_default().into_iter().map(Some).collect()
        }
        AlertMetric::Incursions
        | AlertMetric::UnacknowledgedIncursions
        | AlertMetric::AcknowledgementRate
        | AlertMetric::IncursionsPerRuntimeHour
        | AlertMetric::LongIncursion
        | AlertMetric::RepeatPair => Vec::new(),
    };
    facts.into_iter().flatten().collect()
}

/// Whether a firing is about a tag that has never passed a test.
pub(super) fn was_never_tested(firing: &AlertFiring) -> bool {
    firing.metric == AlertMetric::TagTestOverdue && is_null(&details_of(firing), "last_test_at")
}

fn explain_drift(language: Language, details: &Value) -> Option<Vec<(Text, FiringFact)>> {
    let rate = |name: &str| Some(alerts::value(language, "per_hour", details.get(name)?.as_f64()?));
    let day = formats::date(language, details.get("lowest_from")?.as_str()?);
    let (baseline, lowest, now) = (rate("baseline")?, rate("lowest")?, rate("now")?);
    let (high, low) = (rate("lowest_high")?, rate("now_low")?);
    let lowest = [("rate", &*lowest), ("day", &*day), ("bound", &*high)];
    let facts = [
        (alerts::DRIFT_BASELINE, baseline),
        (alerts::DRIFT_LOWEST, alerts::DRIFT_LOWEST_FROM.fill(language, &lowest)),
        (alerts::DRIFT_NOW, alerts::DRIFT_NOW_OF.fill(language, &[("rate", &now), ("bound", &low)])),
        (alerts::DRIFT_METHOD, alerts::DRIFT_CAREFUL.get(language).to_owned()),
    ];
    Some(facts.map(|(label, words)| (label, FiringFact::Words(words))).into())
}

fn details_of(firing: &AlertFiring) -> Value {
    serde_json::from_str(&firing.details).unwrap_or_default()
}

/// Whether a detail is known to be missing. Firings of earlier versions do not say.
fn is_null(details: &Value, name: &str) -> bool {
    details.get(name).is_some_and(Value::is_null)
}

#[cfg(test)]
mod tests {
    use domain::AlertSplit;
    use serde_json::json;

    use super::super::content::tests::{firing, rule};
    use super::*;

    fn explained(metric: AlertMetric, details: &Value) -> Vec<(&'static str, String)> {
        let rule = rule(metric, AlertSplit::None);
        let firing = AlertFiring { details: details.to_string(), ..firing(&rule, 12, 1) };
        let facts = explain_firing(Language::English, &firing).into_iter();
        let written = |fact: FiringFact| fact.write(Language::English, &firing);
        facts.map(|(label, fact)| (label.get(Language::English), written(fact))).collect()
    }

    fn fact(label: &'static str, value: &str) -> (&'static str, String) {
        (label, value.to_owned())
    }

    #[test]
    fn devices_and_visits_have_times() {
        let at = "2026-03-01T11:00:30.5Z";
        let written = "1 March 2026, 11:00 (UTC)";
        let tested = json!({ "since": at, "last_test_at": at, "worn_since": "2026-01-01T00:00:00Z" });
        assert_eq!(explained(AlertMetric::TagTestOverdue, &tested), [fact("Last passed test", written)]);
        let untested = json!({ "since": at, "last_test_at": null, "worn_since": at });
        let expected = [fact("Last passed test", "never"), fact("First worn", written)];
        assert_eq!(explained(AlertMetric::TagTestOverdue, &untested), expected);
        let battery = json!({ "reported_at": at });
        assert_eq!(explained(AlertMetric::TagBatteryLow, &battery), [fact("Battery reported", written)]);
        let silent = json!({ "since": at, "last_contact_at": null });
        let expected = [fact("Last contact", "never"), fact("Installed since", written)];
        assert_eq!(explained(AlertMetric::BaseStationSilent, &silent), expected);
        let visit = json!({ "since": at, "checked_in_at": "2026-03-01T08:15:00Z" });
        let expected = [fact("Expected until", written), fact("Checked in", "1 March 2026, 08:15 (UTC)")];
        assert_eq!(explained(AlertMetric::VisitorOverstay, &visit), expected);
        // Of earlier versions, and of metrics whose value says all.
        assert_eq!(explained(AlertMetric::TagTestOverdue, &json!({ "since": at })), []);
        assert_eq!(explained(AlertMetric::Incursions, &json!({ "since": at })), []);
    }

    #[test]
    fn a_drift_has_the_rates_that_it_was_computed_from() {
        let details = json!({
            "baseline": 10.02, "lowest": 1.86, "lowest_from": "2026-01-05", "lowest_high": 2.406,
            "now": 7.92, "now_low": 7.4,
        });
        let facts = explained(AlertMetric::Drift, &details);
        let expected = [
            fact("Incursions per runtime hour at the beginning", "10.02"),
            fact("Lowest in four weeks since", "1.86, from 5 January 2026 on (at most 2.41)"),
            fact("In the last four weeks", "7.92 (at least 7.4)"),
        ];
        assert_eq!(facts[..3], expected);
        assert_eq!((facts.len(), facts[3].0), (4, "Computed"));
        assert_eq!(explained(AlertMetric::Drift, &json!({})), []);
    }
}
