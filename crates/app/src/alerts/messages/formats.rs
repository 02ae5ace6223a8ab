//! How values, times and places are written.

use domain::{
    AlertComparison, AlertFiring, AlertRule, AlertSplit, AlertUnit, AlertWindow, CalendarUnit, Day, TimeZone,
    Timestamp,
};
use texts::{Language, alerts, integer, schedules};

use crate::alerts::FiringLabels;

/// Returns what happened, where and how much.
pub(super) fn headline(
    language: Language,
    rule: &AlertRule,
    firing: &AlertFiring,
    labels: &FiringLabels,
) -> String {
    let unit = firing.metric.unit().as_str();
    let value = alerts::value(language, unit, firing.value().as_f64());
    let threshold = alerts::value(language, unit, firing.threshold.as_f64());
    let (place, window) = (place(language, rule, labels), window(language, rule.terms.window));
    let values = [("value", &*value), ("where", &*place), ("window", &*window), ("threshold", &*threshold)];
    alerts::headline(language, firing.metric.as_str(), &values)
}

/// Writes the value with which a firing began, with what it was computed from.
pub(super) fn value_with_parts(language: Language, firing: &AlertFiring) -> String {
    let value = plain_value(language, firing);
    let count = integer(language, firing.numerator);
    match firing.metric.unit() {
        AlertUnit::Ratio => {
            let whole = integer(language, firing.denominator);
            alerts::RATIO_OF.fill(language, &[("value", &value), ("part", &count), ("whole", &whole)])
        }
        AlertUnit::PerHour => {
            let runtime = alerts::value(language, "seconds", firing.denominator as f64 / 1_000.0);
            alerts::RATE_OF.fill(language, &[("value", &value), ("count", &count), ("runtime", &runtime)])
        }
        AlertUnit::Count | AlertUnit::Seconds | AlertUnit::Days | AlertUnit::Percent | AlertUnit::Minutes => {
            value
        }
    }
}

/// The same without what it was computed from.
pub(super) fn plain_value(language: Language, firing: &AlertFiring) -> String {
    alerts::value(language, firing.metric.unit().as_str(), firing.value().as_f64())
}

/// Writes the threshold, with the side on which an alert fires.
pub(super) fn threshold(language: Language, firing: &AlertFiring) -> String {
    let level = alerts::value(language, firing.metric.unit().as_str(), firing.threshold.as_f64());
    let text = match firing.comparison {
        AlertComparison::Above => alerts::AT_LEAST,
        AlertComparison::Below => alerts::AT_MOST,
    };
    text.fill(language, &[("level", &level)])
}

/// Writes where an alarm is, by what its rule has one alarm each for.
fn place(language: Language, rule: &AlertRule, labels: &FiringLabels) -> String {
    let everywhere = || alerts::WHERE_ALL.fill(language, &[("rule", &rule.name)]);
    let named = |text: texts::Text, name: &Option<String>| {
        name.as_ref().map(|name| text.fill(language, &[("name", name)]))
    };
    let site = labels.worksite.as_ref();
    let place = match rule.terms.split_by {
        AlertSplit::None => {
            return named(alerts::WHERE_WORKSITE, &labels.worksite).unwrap_or_else(everywhere);
        }
        AlertSplit::Project => {
            return named(alerts::WHERE_PROJECT, &labels.project).unwrap_or_else(everywhere);
        }
        AlertSplit::Worksite => {
            return named(alerts::WHERE_WORKSITE, &labels.worksite).unwrap_or_else(everywhere);
        }
        AlertSplit::Machine => named(alerts::WHERE_MACHINE, &labels.machine),
        AlertSplit::BaseStation => named(alerts::WHERE_BASE_STATION, &labels.base_station),
        AlertSplit::Person => named(alerts::WHERE_PERSON, &labels.person),
        AlertSplit::Tag => named(alerts::WHERE_TAG, &labels.tag),
        AlertSplit::Pair => labels.person.as_ref().zip(labels.machine.as_ref()).map(|(person, machine)| {
            alerts::WHERE_PAIR.fill(language, &[("person", person), ("machine", machine)])
        }),
    };
    match (place, site) {
        (Some(place), Some(site)) => {
            alerts::WHERE_AND_SITE.fill(language, &[("place", &place), ("site", site)])
        }
        (Some(place), None) => place,
        (None, _) => everywhere(),
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

/// Writes a time by a clock, such as `1 March 2026, 13:00 (Europe/Berlin)`.
pub(in crate::alerts) fn time(language: Language, at: Timestamp, zone: &TimeZone) -> String {
    format!("{}, {} ({zone})", day(language, at, zone), minute(at, zone))
}

/// Writes a period by a clock. The day is written once if it is the same.
pub(super) fn period(language: Language, (from, to): (Timestamp, Timestamp), zone: &TimeZone) -> String {
    let begin = format!("{}, {}", day(language, from, zone), minute(from, zone));
    let is_same_day = zone.local(from).day == zone.local(to).day;
    let end = match is_same_day {
        true => format!("{} ({zone})", minute(to, zone)),
        false => time(language, to, zone),
    };
    alerts::FROM_TO.fill(language, &[("from", &begin), ("to", &end)])
}

fn minute(at: Timestamp, zone: &TimeZone) -> String {
    let minutes = zone.local(at).second_of_day / 60;
    format!("{:02}:{:02}", minutes / 60, minutes % 60)
}

fn day(language: Language, at: Timestamp, zone: &TimeZone) -> String {
    let written = Day::from_number(zone.local(at).day).to_string();
    let numbers: Option<Vec<i64>> = written.split('-').map(|part| part.parse().ok()).collect();
    match numbers.as_deref() {
        Some([year, month, day]) => schedules::long_date(language, (*year, *month, *day)),
        _ => written,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use domain::AlertMetric;

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
            let text = headline(Language::English, &rule, &firing(&rule, 12, 1), &labels());
            assert_eq!(text, format!("12 incursions in 60 minutes {place} (threshold 10)"));
        }
        let rule = rule(AlertMetric::RepeatPair, AlertSplit::Pair);
        let text = headline(Language::German, &rule, &firing(&rule, 12, 1), &labels());
        assert_eq!(text, "12 Annäherungen von Person 7 mit Crane 2, Yard in 60 Minuten (Schwellenwert 10)");
    }

    #[test]
    fn an_alarm_about_nothing_in_particular_names_its_rule() {
        let rule = rule(AlertMetric::Incursions, AlertSplit::Machine);
        let text = headline(Language::English, &rule, &firing(&rule, 12, 1), &FiringLabels::default());
        assert_eq!(text, "12 incursions in 60 minutes for \"Yard, too many\" (threshold 10)");
    }

    #[test]
    fn every_metric_has_a_headline_of_its_own() {
        for language in Language::ALL {
            let mut headlines = HashSet::new();
            for metric in AlertMetric::ALL {
                let rule = rule(metric, AlertSplit::None);
                let text = headline(language, &rule, &firing(&rule, 12, 1), &labels());
                assert!(headlines.insert(text.clone()), "{metric:?}: {text}");
            }
        }
    }

    #[test]
    fn a_value_shows_what_it_was_computed_from() {
        let rate = rule(AlertMetric::AcknowledgementRate, AlertSplit::None);
        assert_eq!(value_with_parts(Language::English, &firing(&rate, 8, 13)), "61.5 % (8 of 13)");
        let per_hour = rule(AlertMetric::IncursionsPerRuntimeHour, AlertSplit::None);
        let text = value_with_parts(Language::English, &firing(&per_hour, 12, 5 * 3_600_000));
        assert_eq!(text, "2.4 (12 in 5 h of runtime)");
        let count = rule(AlertMetric::Incursions, AlertSplit::None);
        assert_eq!(value_with_parts(Language::German, &firing(&count, 1_200, 1)), "1.200");
        assert_eq!(threshold(Language::English, &firing(&count, 12, 1)), "at least 10");
        let below = AlertFiring { comparison: AlertComparison::Below, ..firing(&count, 12, 1) };
        assert_eq!(threshold(Language::German, &below), "höchstens 10");
    }

    #[test]
    fn times_are_those_of_the_reader() {
        let berlin = TimeZone::parse("Europe/Berlin").unwrap();
        let at = |text: &str| Timestamp::parse(text).unwrap();
        let (from, to) = (at("2026-03-01T12:00:30Z"), at("2026-03-01T13:00:30Z"));
        assert_eq!(time(Language::English, from, &berlin), "1 March 2026, 13:00 (Europe/Berlin)");
        let night = at("2026-03-01T23:05:00Z");
        assert_eq!(time(Language::English, night, &berlin), "2 March 2026, 00:05 (Europe/Berlin)");
        assert_eq!(time(Language::German, night, &TimeZone::utc()), "1. März 2026, 23:05 (UTC)");
        let text = period(Language::English, (from, to), &berlin);
        assert_eq!(text, "1 March 2026, 13:00 to 14:00 (Europe/Berlin)");
        let text = period(Language::German, (from, at("2026-03-01T23:30:00Z")), &berlin);
        assert_eq!(text, "1. März 2026, 13:00 bis 2. März 2026, 00:30 (Europe/Berlin)");
    }
}
