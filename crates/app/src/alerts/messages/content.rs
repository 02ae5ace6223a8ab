//! The rows of a mail: what happened, the facts about it, and links to the records.

use domain::{AlertEvent, AlertFiring, AlertRule, ClearReason, IncursionId};
use texts::{Language, alerts, values};

use super::{AlertEmailRow, formats};
use crate::alerts::FiringLabels;

/// Incursions that a mail links to.
const MAX_INCURSION_LINKS: usize = 5;

/// For whom rows are written, and of which rule.
#[derive(Clone, Copy, Debug)]
pub(super) struct RowWriter<'a> {
    pub language: Language,
    pub rule: &'a AlertRule,
    /// Whether the mail has no other row, so that there is room for links to all records.
    pub is_only: bool,
}

impl RowWriter<'_> {
    /// Writes an event of a firing.
    pub fn event(&self, event: AlertEvent, firing: &AlertFiring, labels: &FiringLabels) -> AlertEmailRow {
        let value = formats::value_with_parts(self.language, firing);
        let mut facts = self.facts(firing, labels, value);
        if event == AlertEvent::Cleared {
            facts.extend(self.clearing(firing));
        }
        AlertEmailRow {
            event,
            severity: firing.severity,
            firing: Some(firing.id),
            headline: formats::headline(self.language, self.rule, firing, labels),
            facts,
            links: self.links(firing, labels),
        }
    }

    /// Writes the row of a test. It has no firing, and its value may be an example.
    pub fn test(&self, sample: &AlertFiring, labels: &FiringLabels, is_example: bool) -> AlertEmailRow {
        let value = match is_example {
            true => formats::plain_value(self.language, sample),
            false => formats::value_with_parts(self.language, sample),
        };
        let mut facts = self.facts(sample, labels, value);
        if is_example {
            facts.push(self.fact(alerts::TEST, alerts::EXAMPLE.get(self.language).to_owned()));
        }
        AlertEmailRow {
            event: AlertEvent::Test,
            severity: sample.severity,
            firing: None,
            headline: formats::headline(self.language, self.rule, sample, labels),
            facts,
            links: Vec::new(),
        }
    }

    fn facts(&self, firing: &AlertFiring, labels: &FiringLabels, value: String) -> Vec<(String, String)> {
        let mut facts = vec![
            self.fact(alerts::VALUE, value),
            self.fact(alerts::THRESHOLD, formats::threshold(self.language, firing)),
        ];
        if let Some(from) = firing.window_from {
            let period = formats::period(self.language, (from, firing.window_to), &firing.time_zone);
            facts.push(self.fact(alerts::WINDOW, period));
        }
        let records = [
            ("project", &labels.project),
            ("worksite", &labels.worksite),
            ("machine", &labels.machine),
            ("base_station", &labels.base_station),
            ("person", &labels.person),
            ("tag", &labels.tag),
        ];
        for (word, name) in records {
            if let Some(name) = name {
                facts.push((values::dimension(self.language, word).to_owned(), name.clone()));
            }
        }
        let fired_at = formats::time(self.language, firing.fired_at, &firing.time_zone);
        facts.push(self.fact(alerts::FIRED_AT, fired_at));
        facts
    }

    /// Returns when and why a firing has cleared.
    fn clearing(&self, firing: &AlertFiring) -> Vec<(String, String)> {
        let at = firing.cleared_at.unwrap_or(firing.updated_at);
        let reason = match firing.clear_reason {
            Some(ClearReason::Recovered) | None => alerts::RECOVERED,
            Some(ClearReason::NoData) => alerts::NO_DATA_LEFT,
            Some(ClearReason::ScopeArchived | ClearReason::ScopeChanged | ClearReason::PersonErased) => {
                alerts::SCOPE_ARCHIVED
            }
            Some(ClearReason::RuleChanged | ClearReason::RuleDisabled | ClearReason::RuleDeleted) => {
                alerts::RULE_CHANGED
            }
        };
        vec![
            self.fact(alerts::CLEARED_AT, formats::time(self.language, at, &firing.time_zone)),
            self.fact(alerts::CLEAR_REASON, reason.get(self.language).to_owned()),
        ]
    }

    fn fact(&self, label: texts::Text, value: String) -> (String, String) {
        (label.get(self.language).to_owned(), value)
    }

    /// Returns links by the paths of the pages.
    fn links(&self, firing: &AlertFiring, labels: &FiringLabels) -> Vec<(String, String)> {
        let alarm = format!("/alerts/{}/firings/{}", firing.rule, firing.id);
        let mut links = vec![(alerts::OPEN_ALARM.get(self.language).to_owned(), alarm)];
        if !self.is_only {
            return links;
        }
        let subject = &firing.subject;
        if let Some((id, name)) = subject.worksite.zip(labels.worksite.as_ref()) {
            let text = alerts::OPEN_WORKSITE.fill(self.language, &[("name", name)]);
            links.push((text, format!("/sites/{id}")));
        }
        if let Some((id, name)) = subject.machine.zip(labels.machine.as_ref()) {
            let text = alerts::OPEN_MACHINE.fill(self.language, &[("name", name)]);
            links.push((text, format!("/machines/{id}")));
        }
        if let Some(id) = subject.visit {
            let text = alerts::OPEN_VISIT.fill(self.language, &[("id", &id.to_string())]);
            links.push((text, format!("/visitors/{id}")));
        }
        for IncursionId(id) in firing.incursion_ids().into_iter().take(MAX_INCURSION_LINKS) {
            let text = alerts::OPEN_INCURSION.fill(self.language, &[("id", &id.to_string())]);
            links.push((text, format!("/incursions/{id}")));
        }
        links
    }
}

#[cfg(test)]
pub(super) mod tests {
    use domain::{
        Actor, ActorKind, AlertFiringId, AlertLevel, AlertMetric, AlertRuleId, AlertScope, AlertSeverity,
        AlertSplit, AlertStatus, AlertTerms, AlertWindow, FiringSubject, MachineId, OutsideHours, SplitKey,
        TimeZone, Timestamp, VisitId, WorksiteId,
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
            version: 1,
            created_at: AT,
            updated_at: AT,
        }
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
        let writer = RowWriter { language: Language::English, rule: &rule, is_only: true };
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
        let writer = RowWriter { language: Language::German, rule: &rule, is_only: true };
        let row = writer.event(AlertEvent::Cleared, &firing, &FiringLabels::default());
        let last: Vec<&str> = row.facts.iter().rev().take(2).map(|(_, value)| value.as_str()).collect();
        assert_eq!(last, ["seit 24 Stunden gibt es keine Daten", "1. März 2026, 13:30 (UTC)"]);
    }

    #[test]
    fn a_test_has_no_firing_and_says_if_its_value_is_an_example() {
        let rule = rule(AlertMetric::AcknowledgementRate, AlertSplit::None);
        let sample = firing(&rule, 8, 10);
        let writer = RowWriter { language: Language::English, rule: &rule, is_only: true };
        let row = writer.test(&sample, &FiringLabels::default(), true);
        assert_eq!((row.event, row.firing, row.links.len()), (AlertEvent::Test, None, 0));
        assert_eq!(row.facts[0], ("Value".to_owned(), "80 %".to_owned()));
        assert!(row.facts.iter().any(|(_, value)| value.contains("example")), "{:?}", row.facts);
        let row = writer.test(&sample, &FiringLabels::default(), false);
        assert_eq!(row.facts[0].1, "80 % (8 of 10)");
        assert!(!row.facts.iter().any(|(_, value)| value.contains("example")));
    }
}
