//! What rows say, and the rule and firing of the tests of messages.

use domain::{
    Actor, ActorKind, AlertFiringId, AlertLevel, AlertMetric, AlertRuleId, AlertScope, AlertSeverity,
    AlertSplit, AlertStatus, AlertTerms, AlertWindow, FiringSubject, MachineId, OutsideHours, PersonId,
    SplitKey, TimeZone, Timestamp, VisitId, WorksiteId,
};

use super::*;

const AT: Timestamp = Timestamp::from_seconds(1_772_366_430);

/// A rule with the threshold 10 over 60 minutes.
pub fn rule(metric: AlertMetric, split_by: AlertSplit) -> AlertRule {
    AlertRule {
        id: AlertRuleId(3),
        owner: Actor { kind: ActorKind::User, id: Some(1), name: None },
        owner_left_at: None,
        name: "Yard, too many".to_owned(),
        terms: AlertTerms {
            metric,
            comparison: metric.comparisons()[0],
            threshold: AlertLevel::whole(10),
            window: Some(AlertWindow::Rolling { minutes: 60 }),
            minimum_count: None,
            scope: AlertScope::default(),
            split_by,
        },
        active_hours: None,
        outside_hours: OutsideHours::Hold,
        cool_down_minutes: 60,
        severity: AlertSeverity::Warning,
        notify_on_clear: true,
        enabled: true,
        all_projects: true,
        status: AlertStatus::Ok,
        status_reason: None,
        judged_at: None,
        version: 1,
        created_at: AT,
        updated_at: AT,
        name_key: "yard, too many".to_owned(),
    }
}

pub fn firing(rule: &AlertRule, numerator: i64, denominator: i64) -> AlertFiring {
    AlertFiring {
        id: AlertFiringId(7),
        rule: rule.id,
        rule_name: rule.name.clone(),
        split_key: SplitKey::new(Vec::new()),
        subject: FiringSubject::default(),
        metric: rule.terms.metric,
        comparison: rule.terms.comparison,
        threshold: rule.terms.threshold,
        severity: rule.severity,
        numerator,
        denominator,
        peak_numerator: numerator,
        peak_denominator: denominator,
        window_from: Some(AT - domain::Span::minutes(60)),
        window_to: AT,
        time_zone: TimeZone::utc(),
        seq: 1,
        incursions: "[31,30,29,28,27,26]".to_owned(),
        details: "{}".to_owned(),
        all_projects: true,
        fired_at: AT,
        held_until: None,
        is_told: true,
        no_data_since: None,
        cleared_at: None,
        clear_reason: None,
        cleared_numerator: None,
        cleared_denominator: None,
        version: 1,
        created_at: AT,
        updated_at: AT,
    }
}

fn writer(language: Language, rule: &AlertRule) -> RowWriter<'_> {
    RowWriter { language, rule, scope_names: None, is_only: true }
}

#[test]
fn a_row_has_the_facts_and_links_to_the_records() {
    let rule = rule(AlertMetric::Incursions, AlertSplit::Machine);
    let subject = FiringSubject {
        worksite: Some(WorksiteId(4)),
        machine: Some(MachineId(5)),
        visit: Some(VisitId(6)),
        ..FiringSubject::default()
    };
    let firing = AlertFiring { subject, ..firing(&rule, 12, 1) };
    let labels = FiringLabels {
        worksite: Some("Yard".to_owned()),
        machine: Some("Crane 2".to_owned()),
        ..FiringLabels::default()
    };
    let writer = writer(Language::English, &rule);
    let row = writer.event(AlertEvent::Fired, &firing, &labels);
    assert_eq!(row.headline, "12 incursions in 60 minutes at Crane 2, Yard (threshold 10)");
    let facts: Vec<(&str, &str)> =
        row.facts.iter().map(|(label, value)| (label.as_str(), value.as_str())).collect();
    let expected = [
        ("Value", "12"),
        ("Threshold", "at least 10"),
        ("Period", "1 March 2026, 11:00 to 12:00 (UTC)"),
        ("Worksite", "Yard"),
        ("Machine", "Crane 2"),
        ("Fired", "1 March 2026, 12:00 (UTC)"),
    ];
    assert_eq!(facts, expected);
    let paths: Vec<&str> = row.links.iter().map(|(_, path)| path.as_str()).collect();
    let expected = [
        "/alerts/3/firings/7",
        "/sites/4",
        "/machines/5",
        "/visitors/6",
        "/incursions/31",
        "/incursions/30",
        "/incursions/29",
        "/incursions/28",
        "/incursions/27",
    ];
    assert_eq!(paths, expected);
    let row = RowWriter { is_only: false, ..writer }.event(AlertEvent::Fired, &firing, &labels);
    assert_eq!(row.links.len(), 1);
}

#[test]
fn a_clearing_says_when_and_why() {
    let rule = rule(AlertMetric::Incursions, AlertSplit::None);
    let (cleared_at, clear_reason) = (Some(AT + domain::Span::minutes(90)), Some(ClearReason::NoData));
    let firing = AlertFiring { cleared_at, clear_reason, ..firing(&rule, 12, 1) };
    let writer = writer(Language::German, &rule);
    let row = writer.event(AlertEvent::Cleared, &firing, &FiringLabels::default());
    let last: Vec<&str> = row.facts.iter().rev().take(2).map(|(_, value)| value.as_str()).collect();
    assert_eq!(last, ["seit 24 Stunden gibt es keine Daten", "1. März 2026, 13:30 (UTC)"]);
    assert_eq!(row.facts[0], ("Wert beim Auslösen".to_owned(), "12".to_owned()));
    assert!(!row.facts.iter().any(|(label, _)| label == "Wert am Ende"), "{:?}", row.facts);
}

#[test]
fn a_clearing_has_both_values() {
    let rule = rule(AlertMetric::AcknowledgementRate, AlertSplit::None);
    let (cleared_numerator, cleared_denominator) = (Some(9), Some(10));
    let (cleared_at, clear_reason) = (Some(AT + domain::Span::minutes(90)), Some(ClearReason::Recovered));
    let firing = AlertFiring {
        cleared_at,
        clear_reason,
        cleared_numerator,
        cleared_denominator,
        ..firing(&rule, 2, 10)
    };
    let writer = writer(Language::English, &rule);
    let row = writer.event(AlertEvent::Cleared, &firing, &FiringLabels::default());
    assert!(row.headline.starts_with("Acknowledgement rate 90 % in 60 minutes"), "{}", row.headline);
    assert!(row.headline.ends_with(", was 20 %"), "{}", row.headline);
    let facts: Vec<(&str, &str)> =
        row.facts.iter().map(|(label, value)| (label.as_str(), value.as_str())).collect();
    assert_eq!(facts[0], ("Value when it fired", "20 % (2 of 10)"));
    assert_eq!(facts[2], ("Value when it cleared", "90 % (9 of 10)"));
}

#[test]
fn a_person_is_linked_to_by_the_name_that_the_reader_sees() {
    let rule = rule(AlertMetric::Incursions, AlertSplit::Person);
    let subject = FiringSubject { person: Some(PersonId(7)), ..FiringSubject::default() };
    let firing = AlertFiring { subject, incursions: "[]".to_owned(), ..firing(&rule, 12, 1) };
    for (name, text) in [("Ada", "Person Ada"), ("Person 7", "Person 7")] {
        let labels = FiringLabels { person: Some(name.to_owned()), ..FiringLabels::default() };
        let row = writer(Language::English, &rule).event(AlertEvent::Fired, &firing, &labels);
        assert_eq!(row.links[1..], [(text.to_owned(), "/people/7".to_owned())]);
    }
}

#[test]
fn a_test_has_no_firing_and_says_if_its_value_is_an_example() {
    let rule = rule(AlertMetric::AcknowledgementRate, AlertSplit::None);
    let sample = firing(&rule, 8, 10);
    let writer = writer(Language::English, &rule);
    let row = writer.test(&sample, &FiringLabels::default(), true);
    assert_eq!((row.event, row.firing), (AlertEvent::Test, None));
    assert!(row.links.iter().all(|(_, path)| path.starts_with("/incursions/")), "{:?}", row.links);
    assert_eq!(row.facts[0], ("Value".to_owned(), "80 %".to_owned()));
    assert!(row.facts.iter().any(|(_, value)| value.contains("example")), "{:?}", row.facts);
    let row = writer.test(&sample, &FiringLabels::default(), false);
    assert_eq!(row.facts[0].1, "80 % (8 of 10)");
    assert!(!row.facts.iter().any(|(_, value)| value.contains("example")));
}
