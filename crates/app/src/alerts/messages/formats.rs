//! How values and times are written.

use domain::{AlertComparison, AlertFiring, AlertMetric, AlertUnit, Day, Measurement, TimeZone, Timestamp};
use texts::{Language, alerts, integer, schedules};

/// Writes a value in the unit of its metric.
pub(super) fn value(language: Language, metric: AlertMetric, value: Measurement) -> String {
    // Minutes are whole ones that have passed.
    if metric.unit() == AlertUnit::Minutes && value.as_f64() < 1.0 {
        return alerts::LESS_THAN_A_MINUTE.get(language).to_owned();
    }
    alerts::value(language, metric.unit().as_str(), value.as_f64())
}

/// The same with what it was computed from.
pub(super) fn value_with_parts(language: Language, metric: AlertMetric, parts: Measurement) -> String {
    let value = value(language, metric, parts);
    let count = integer(language, parts.numerator);
    match metric.unit() {
        AlertUnit::Ratio => {
            let whole = integer(language, parts.denominator);
            alerts::RATIO_OF.fill(language, &[("value", &value), ("part", &count), ("whole", &whole)])
        }
        AlertUnit::PerHour => {
            let runtime = alerts::value(language, "seconds", parts.denominator as f64 / 1_000.0);
            alerts::RATE_OF.fill(language, &[("value", &value), ("count", &count), ("runtime", &runtime)])
        }
        AlertUnit::Count | AlertUnit::Seconds | AlertUnit::Days | AlertUnit::Percent | AlertUnit::Minutes => {
            value
        }
    }
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
    date(language, &Day::from_number(zone.local(at).day).to_string())
}

/// Writes a date such as `2026-03-01`.
pub(super) fn date(language: Language, date: &str) -> String {
    let numbers: Option<Vec<i64>> = date.split('-').map(|part| part.parse().ok()).collect();
    match numbers.as_deref() {
        Some([year, month, day]) => schedules::long_date(language, (*year, *month, *day)),
        _ => date.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use domain::AlertSplit;

    use super::super::content::tests::{firing, rule};
    use super::*;

    #[test]
    fn a_value_shows_what_it_was_computed_from() {
        let parts = |language: Language, metric: AlertMetric, numerator: i64, denominator: i64| {
            let scale = metric.scale();
            value_with_parts(language, metric, Measurement { numerator, denominator, scale })
        };
        let (english, german) = (Language::English, Language::German);
        assert_eq!(parts(english, AlertMetric::AcknowledgementRate, 8, 13), "61.5 % (8 of 13)");
        let text = parts(english, AlertMetric::IncursionsPerRuntimeHour, 12, 5 * 3_600_000);
        assert_eq!(text, "2.4 (12 in 5 h of runtime)");
        assert_eq!(parts(german, AlertMetric::Incursions, 1_200, 1), "1.200");
        assert_eq!(parts(english, AlertMetric::VisitorOverstay, 0, 1), "less than a minute");
        assert_eq!(parts(german, AlertMetric::VisitorOverstay, 121_209, 1), "84 Tage 4 h");
        let count = rule(AlertMetric::Incursions, AlertSplit::None);
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
