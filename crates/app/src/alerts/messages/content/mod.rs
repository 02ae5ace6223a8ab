//! The rows of a mail: what happened, the facts about it, and links to the records.

use domain::{AlertEvent, AlertFiring, AlertRule, ClearReason, IncursionId, person};
use texts::{Language, alerts, values};

use super::headline::Headline;
use super::restriction::ScopeNames;
use super::{AlertEmailRow, explanation, formats};
use crate::alerts::FiringLabels;

/// Incursions that a mail links to.
const MAX_INCURSION_LINKS: usize = 5;

/// For whom a row is written, and of which rule.
#[derive(Clone, Copy, Debug)]
pub(super) struct RowWriter<'a> {
    pub language: Language,
    pub rule: &'a AlertRule,
    /// What restricted the firing, as the reader sees it; none if that is not known.
    pub scope_names: Option<&'a ScopeNames>,
    /// Whether the mail has no other row, so that there is room for links to all records.
    pub is_only: bool,
}

impl RowWriter<'_> {
    /// Writes an event of a firing.
    pub fn event(&self, event: AlertEvent, firing: &AlertFiring, labels: &FiringLabels) -> AlertEmailRow {
        let value = formats::value_with_parts(self.language, firing.metric, firing.value());
        let is_cleared = event == AlertEvent::Cleared;
        let mut facts = match is_cleared {
            true => self.values_of_clearing(firing, value),
            false => self.values_of_firing(firing, value),
        };
        facts.extend(self.records(firing, labels));
        if is_cleared {
            facts.extend(self.clearing(firing));
        }
        let alarm = format!("/alerts/{}/firings/{}", firing.rule, firing.id);
        let mut links = vec![(alerts::OPEN_ALARM.get(self.language).to_owned(), alarm)];
        if self.is_only {
            links.extend(self.links(firing, labels));
        }
        AlertEmailRow {
            event,
            severity: firing.severity,
            firing: Some(firing.id),
            headline: self.headline(event, firing, labels),
            facts,
            links,
        }
    }

    /// Writes the row of a test. It has no firing, and its value may be an example.
    pub fn test(&self, sample: &AlertFiring, labels: &FiringLabels, is_example: bool) -> AlertEmailRow {
        let value = match is_example {
            true => formats::value(self.language, sample.metric, sample.value()),
            false => formats::value_with_parts(self.language, sample.metric, sample.value()),
        };
        let mut facts = self.values_of_firing(sample, value);
        facts.extend(self.records(sample, labels));
        if is_example {
            facts.push(self.fact(alerts::TEST, alerts::EXAMPLE.get(self.language).to_owned()));
        }
        AlertEmailRow {
            event: AlertEvent::Test,
            severity: sample.severity,
            firing: None,
            headline: self.headline(AlertEvent::Test, sample, labels),
            facts,
            links: self.links(sample, labels),
        }
    }

    fn headline(&self, event: AlertEvent, firing: &AlertFiring, labels: &FiringLabels) -> String {
        let only = self.scope_names.and_then(|names| names.in_headline(self.language, firing));
        let (language, rule, only) = (self.language, self.rule, only.as_deref());
        let headline = Headline { language, rule, firing, labels, only };
        match event {
            AlertEvent::Cleared => headline.cleared(),
            AlertEvent::Fired | AlertEvent::Test => headline.fired(),
        }
    }

    fn values_of_firing(&self, firing: &AlertFiring, value: String) -> Vec<(String, String)> {
        let mut facts = vec![
            self.fact(alerts::VALUE, value),
            self.fact(alerts::THRESHOLD, formats::threshold(self.language, firing)),
        ];
        facts.extend(self.period(firing));
        let explained = explanation::explain_firing(self.language, firing).into_iter();
        facts.extend(explained.map(|(label, fact)| self.fact(label, fact.write(self.language, firing))));
        facts
    }

    /// Returns the value with which a firing began, and the one on which it cleared.
    fn values_of_clearing(&self, firing: &AlertFiring, value: String) -> Vec<(String, String)> {
        let mut facts = vec![self.fact(alerts::VALUE_AT_FIRING, value)];
        facts.extend(self.period(firing));
        if let Some(value) = firing.cleared_value() {
            let value = formats::value_with_parts(self.language, firing.metric, value);
            facts.push(self.fact(alerts::VALUE_AT_CLEARING, value));
        }
        facts.push(self.fact(alerts::THRESHOLD, formats::threshold(self.language, firing)));
        facts
    }

    fn period(&self, firing: &AlertFiring) -> Option<(String, String)> {
        let period = (firing.window_from?, firing.window_to);
        Some(self.fact(alerts::WINDOW, formats::period(self.language, period, &firing.time_zone)))
    }

    /// Returns what a firing is about, and since when.
    fn records(&self, firing: &AlertFiring, labels: &FiringLabels) -> Vec<(String, String)> {
        let mut facts = Vec::new();
        let names = self.scope_names.and_then(|names| names.in_full(self.language, firing));
        facts.extend(names.map(|names| self.fact(alerts::RESTRICTED_TO, names)));
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

    /// Returns links to the records that a firing is about, by the paths of the pages.
    fn links(&self, firing: &AlertFiring, labels: &FiringLabels) -> Vec<(String, String)> {
        let mut links = Vec::new();
        let subject = &firing.subject;
        if let Some((id, name)) = subject.worksite.zip(labels.worksite.as_ref()) {
            let text = alerts::OPEN_WORKSITE.fill(self.language, &[("name", name)]);
            links.push((text, format!("/sites/{id}")));
        }
        if let Some((id, name)) = subject.machine.zip(labels.machine.as_ref()) {
            let text = alerts::OPEN_MACHINE.fill(self.language, &[("name", name)]);
            links.push((text, format!("/machines/{id}")));
        }
        if let Some((id, name)) = subject.person.zip(labels.person.as_ref()) {
            let text = match *name == person::placeholder_name(id) {
                true => name.clone(),
                false => alerts::OPEN_PERSON.fill(self.language, &[("name", name)]),
            };
            links.push((text, format!("/people/{id}")));
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
pub(super) mod tests;
