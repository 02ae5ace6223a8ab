//! The headline of an event: what happened, where and how much.

use domain::{
    AlertComparison, AlertFiring, AlertMetric, AlertRule, AlertSplit, AlertUnit, AlertWindow, CalendarUnit,
    Measurement, MetricSource,
};
use texts::{Language, Text, alerts};

use super::{explanation, formats};
use crate::alerts::FiringLabels;

/// What a headline is about.
#[derive(Clone, Copy, Debug)]
pub(super) struct Headline<'a> {
    pub language: Language,
    pub rule: &'a AlertRule,
    pub firing: &'a AlertFiring,
    pub labels: &'a FiringLabels,
    /// What the rule looks at, as it is written, if that is less than all of the place.
    pub only: Option<&'a str>,
}

impl Headline<'_> {
    /// Writes it with the value with which it fired. A value that is too low is marked: without that, few incursions read like good news.
    pub fn fired(&self) -> String {
        let (language, metric) = (self.language, self.firing.metric);
        let value = formats::value(language, metric, self.firing.value());
        let only = |what: &str| alerts::ONLY.fill(language, &[("what", what)]);
        match (self.firing.comparison, metric.unit()) {
            (AlertComparison::Below, AlertUnit::Ratio) => self.write(&only(&value)),
            (AlertComparison::Below, AlertUnit::Count | AlertUnit::PerHour) => only(&self.write(&value)),
            _ if explanation::was_never_tested(self.firing) => {
                self.fill(alerts::HEADLINE_TAG_NEVER_TESTED, &value)
            }
            _ => self.write(&value),
        }
    }

    /// Writes it with the value on which it cleared, and the one before.
    pub fn cleared(&self) -> String {
        let (language, metric) = (self.language, self.firing.metric);
        match self.value_of_same() {
            Some(value) => {
                let now = self.write(&formats::value(language, metric, value));
                let before = formats::value(language, metric, self.firing.value());
                alerts::HEADLINE_AND_BEFORE.fill(language, &[("headline", &now), ("value", &before)])
            }
            None => alerts::HEADLINE_AT_FIRING.fill(language, &[("headline", &self.fired())]),
        }
    }

    /// Returns the value on which it cleared, if that is a value of what the headline names.
    fn value_of_same(&self) -> Option<Measurement> {
        let value = self.firing.cleared_value()?;
        let is_same = match self.firing.metric.source() {
            // The worst tag or station of a split may have become another one.
            MetricSource::Rows => {
                matches!(self.rule.terms.split_by, AlertSplit::Tag | AlertSplit::BaseStation)
            }
            // Without any incursion, there is none that takes no time.
            MetricSource::Columns => self.firing.metric != AlertMetric::LongIncursion || value.numerator > 0,
            MetricSource::Weeks => true,
        };
        is_same.then_some(value)
    }

    fn write(&self, value: &str) -> String {
        self.with_values(value, |values| alerts::headline(self.language, self.firing.metric.as_str(), values))
    }

    fn fill(&self, text: Text, value: &str) -> String {
        self.with_values(value, |values| text.fill(self.language, values))
    }

    fn with_values(&self, value: &str, write: impl FnOnce(&[(&str, &str)]) -> String) -> String {
        let (language, firing) = (self.language, self.firing);
        let threshold = alerts::value(language, firing.metric.unit().as_str(), firing.threshold.as_f64());
        let window = window(language, self.rule.terms.window);
        let station = match &self.labels.base_station {
            Some(name) => alerts::BASE_STATION.fill(language, &[("name", name)]),
            None => alerts::SOME_BASE_STATION.get(language).to_owned(),
        };
        let place = match self.only {
            Some(names) => alerts::WHERE_ONLY.fill(language, &[("place", &self.place()), ("names", names)]),
            None => self.place(),
        };
        let values = [
            ("value", value),
            ("where", &*place),
            ("window", &*window),
            ("threshold", &*threshold),
            ("station", &*station),
        ];
        write(&values)
    }

    /// Writes where an alarm is, by what its rule has one alarm each for.
    fn place(&self) -> String {
        let (language, labels) = (self.language, self.labels);
        let everywhere = || alerts::WHERE_ALL.fill(language, &[("rule", &self.rule.name)]);
        let named = |text: Text, name: &Option<String>| {
            name.as_ref().map(|name| text.fill(language, &[("name", name)]))
        };
        let place = match self.rule.terms.split_by {
            AlertSplit::None | AlertSplit::Worksite => {
                return named(alerts::WHERE_WORKSITE, &labels.worksite).unwrap_or_else(everywhere);
            }
            AlertSplit::Project => {
                return named(alerts::WHERE_PROJECT, &labels.project).unwrap_or_else(everywhere);
            }
            AlertSplit::Machine => named(alerts::WHERE_MACHINE, &labels.machine),
            // The headline begins with the station.
            AlertSplit::BaseStation if self.firing.metric == AlertMetric::BaseStationSilent => {
                named(alerts::WHERE_MACHINE, &labels.machine)
            }
            AlertSplit::BaseStation => named(alerts::WHERE_BASE_STATION, &labels.base_station),
            AlertSplit::Person => named(alerts::WHERE_PERSON, &labels.person),
            AlertSplit::Tag => named(alerts::WHERE_TAG, &labels.tag),
            AlertSplit::Pair => {
                labels.person.as_ref().zip(labels.machine.as_ref()).map(|(person, machine)| {
                    alerts::WHERE_PAIR.fill(language, &[("person", person), ("machine", machine)])
                })
            }
        };
        match (place, labels.worksite.as_ref()) {
            (Some(place), Some(site)) => {
                alerts::WHERE_AND_SITE.fill(language, &[("place", &place), ("site", site)])
            }
            (Some(place), None) => place,
            (None, _) => everywhere(),
        }
    }
}

fn window(language: Language, window: Option<AlertWindow>) -> String {
    match window {
        Some(AlertWindow::Rolling { minutes }) => alerts::rolling_window(language, minutes),
        Some(AlertWindow::Calendar(CalendarUnit::Day)) => alerts::TODAY.get(language).to_owned(),
        Some(AlertWindow::Calendar(CalendarUnit::Week)) => alerts::THIS_WEEK.get(language).to_owned(),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::super::content::tests::{firing, rule};
    use super::*;

    fn labels() -> FiringLabels {
        let some = |name: &str| Some(name.to_owned());
        FiringLabels {
            project: some("North"),
            worksite: some("Yard"),
            machine: some("Crane 2"),
            base_station: some("BS-1"),
            person: some("Person 7"),
            tag: some("T-9"),
        }
    }

    fn fired(language: Language, rule: &AlertRule, firing: &AlertFiring) -> String {
        Headline { language, rule, firing, labels: &labels(), only: None }.fired()
    }

    #[test]
    fn a_headline_says_where_by_the_split_of_the_rule() {
        for (split, place) in [
            (AlertSplit::None, "at Yard"),
            (AlertSplit::Project, "in project North"),
            (AlertSplit::Worksite, "at Yard"),
            (AlertSplit::Machine, "at Crane 2, Yard"),
            (AlertSplit::BaseStation, "at base station BS-1, Yard"),
            (AlertSplit::Person, "for Person 7, Yard"),
            (AlertSplit::Tag, "for tag T-9, Yard"),
        ] {
            let rule = rule(AlertMetric::Incursions, split);
            let text = fired(Language::English, &rule, &firing(&rule, 12, 1));
            assert_eq!(text, format!("12 incursions in 60 minutes {place} (threshold 10)"));
        }
        let pair = rule(AlertMetric::RepeatPair, AlertSplit::Pair);
        let text = fired(Language::German, &pair, &firing(&pair, 12, 1));
        assert_eq!(text, "12 Annäherungen von Person 7 mit Crane 2, Yard in 60 Minuten (Schwellenwert 10)");
        let mut silent = rule(AlertMetric::BaseStationSilent, AlertSplit::BaseStation);
        silent.terms.window = None;
        let text = fired(Language::English, &silent, &firing(&silent, 7_276, 1));
        assert_eq!(text, "Base station BS-1 silent for 5 days 1 h at Crane 2, Yard (threshold 10 min)");
    }

    #[test]
    fn an_alarm_about_nothing_in_particular_names_its_rule() {
        let rule = rule(AlertMetric::Incursions, AlertSplit::Machine);
        let (firing, labels) = (firing(&rule, 12, 1), FiringLabels::default());
        let headline = Headline {
            language: Language::English,
            rule: &rule,
            firing: &firing,
            labels: &labels,
            only: None,
        };
        let text = "12 incursions in 60 minutes for \"Yard, too many\" (threshold 10)";
        assert_eq!(headline.fired(), text);
        let text = "12 incursions in 60 minutes for \"Yard, too many\", only Crane 2 (threshold 10)";
        assert_eq!(Headline { only: Some("Crane 2"), ..headline }.fired(), text);
    }

    #[test]
    fn every_metric_has_a_headline_of_its_own() {
        for language in Language::ALL {
            let mut headlines = HashSet::new();
            for metric in AlertMetric::ALL {
                let rule = rule(metric, AlertSplit::None);
                let text = fired(language, &rule, &firing(&rule, 12, 1));
                assert!(!text.contains('{') && headlines.insert(text.clone()), "{metric:?}: {text}");
            }
        }
    }

    #[test]
    fn what_is_too_low_says_so() {
        let below = |metric: AlertMetric, numerator: i64, denominator: i64| {
            let rule = rule(metric, AlertSplit::Worksite);
            let firing =
                AlertFiring { comparison: AlertComparison::Below, ..firing(&rule, numerator, denominator) };
            (fired(Language::English, &rule, &firing), fired(Language::German, &rule, &firing))
        };
        let (english, german) = below(AlertMetric::Incursions, 0, 1);
        assert_eq!(english, "only 0 incursions in 60 minutes at Yard (threshold 10)");
        assert_eq!(german, "nur 0 Annäherungen in 60 Minuten am Standort Yard (Schwellenwert 10)");
        let (english, german) = below(AlertMetric::AcknowledgementRate, 1, 4);
        assert!(english.starts_with("Acknowledgement rate only 25 % in 60 minutes"), "{english}");
        assert!(german.starts_with("Quittierungsquote nur 25 % in 60 Minuten"), "{german}");
        let (english, _) = below(AlertMetric::TagBatteryLow, 9, 1);
        assert!(english.starts_with("Tag battery at 9 %"), "{english}");
    }

    #[test]
    fn a_tag_that_was_never_tested_is_not_one_that_was_tested_long_ago() {
        let mut rule = rule(AlertMetric::TagTestOverdue, AlertSplit::Tag);
        rule.terms.window = None;
        let tested = firing(&rule, 39, 1);
        let text = fired(Language::English, &rule, &tested);
        assert_eq!(text, "39 days without a passed tag test for tag T-9, Yard (threshold 10 days)");
        let details = r#"{"last_test_at": null, "worn_since": "2026-01-01T00:00:00Z"}"#.to_owned();
        let text = fired(Language::German, &rule, &AlertFiring { details, ..tested });
        let expected = "39 Tage getragen ohne je bestandenen Transpondertest für Transponder T-9, Yard (Schwellenwert 10 Tage)";
        assert_eq!(text, expected);
    }

    #[test]
    fn a_clearing_says_what_was_and_what_is() {
        let cleared = |language: Language, metric: AlertMetric, split: AlertSplit, to: Option<i64>| {
            let mut rule = rule(metric, split);
            if metric.source() == MetricSource::Rows {
                rule.terms.window = None;
            }
            let (cleared_numerator, cleared_denominator) = (to, to.map(|_| 1));
            let firing = AlertFiring { cleared_numerator, cleared_denominator, ..firing(&rule, 20, 1) };
            Headline { language, rule: &rule, firing: &firing, labels: &labels(), only: None }.cleared()
        };
        let (english, german) = (Language::English, Language::German);
        let (count, battery) = (AlertMetric::Incursions, AlertMetric::TagBatteryLow);
        let text = cleared(english, count, AlertSplit::Worksite, Some(2));
        assert_eq!(text, "2 incursions in 60 minutes at Yard (threshold 10), was 20");
        let text = cleared(german, battery, AlertSplit::Tag, Some(23));
        let expected =
            "Transponderbatterie bei 23 % für Transponder T-9, Yard (Schwellenwert 10 %), zuvor 20 %";
        assert_eq!(text, expected);
        // The tag with the lowest battery can be another one by now.
        let text = cleared(english, battery, AlertSplit::None, Some(23));
        assert_eq!(text, "Tag battery at 20 % at Yard (threshold 10 %) when it fired");
        let text = cleared(english, AlertMetric::LongIncursion, AlertSplit::Worksite, Some(0));
        assert_eq!(text, "Incursion of 20 s in 60 minutes at Yard (threshold 10 s) when it fired");
        let text = cleared(german, count, AlertSplit::Worksite, None);
        assert!(text.ends_with("(Schwellenwert 10) beim Auslösen"), "{text}");
    }
}
