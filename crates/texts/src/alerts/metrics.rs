//! What an alarm says: a headline for each metric, and how values, windows and places are written.
//!
//! The functions take the words that are stored and sent in API responses. English texts are plain ASCII, so that a mail is sent as it
//! is and its links stay in one piece.

use crate::text::{counted, find, texts};
use crate::{Counted, Language, Text, decimal, integer, percent, seconds};

texts! {
    HEADLINE_ACKNOWLEDGEMENT_RATE = "Acknowledgement rate {value} {window} {where} (threshold {threshold})",
        "Quittierungsquote {value} {window} {where} (Schwellenwert {threshold})";
    HEADLINE_INCURSIONS_PER_RUNTIME_HOUR =
        "{value} incursions per runtime hour {window} {where} (threshold {threshold})",
        "{value} Annäherungen je Betriebsstunde {window} {where} (Schwellenwert {threshold})";
    HEADLINE_LONG_INCURSION = "Incursion of {value} {window} {where} (threshold {threshold})",
        "Annäherung von {value} {window} {where} (Schwellenwert {threshold})";
    HEADLINE_TAG_TEST_OVERDUE = "{value} without a passed tag test {where} (threshold {threshold})",
        "{value} ohne bestandenen Transpondertest {where} (Schwellenwert {threshold})";
    /// Of a tag that has never passed a test: the value counts from when it was first worn.
    HEADLINE_TAG_NEVER_TESTED = "{value} worn without ever passing a tag test {where} (threshold {threshold})",
        "{value} getragen ohne je bestandenen Transpondertest {where} (Schwellenwert {threshold})";
    HEADLINE_TAG_BATTERY_LOW = "Tag battery at {value} {where} (threshold {threshold})",
        "Transponderbatterie bei {value} {where} (Schwellenwert {threshold})";
    HEADLINE_BASE_STATION_SILENT = "{station} silent for {value} {where} (threshold {threshold})",
        "{station} {value} ohne Kontakt {where} (Schwellenwert {threshold})";
    HEADLINE_VISITOR_OVERSTAY = "Visit overdue by {value} {where} (threshold {threshold})",
        "Besuch um {value} überzogen {where} (Schwellenwert {threshold})";
    HEADLINE_DRIFT =
        "{value} of the improvement in incursions per runtime hour lost {where} (threshold {threshold})",
        "{value} der Verbesserung bei Annäherungen je Betriebsstunde verloren {where} (Schwellenwert {threshold})";
    /// A headline or a value of an alert that fires because there is little.
    ONLY = "only {what}", "nur {what}";
    BASE_STATION = "Base station {name}", "Basisstation {name}";
    SOME_BASE_STATION = "A base station", "Eine Basisstation";
    LESS_THAN_A_MINUTE = "less than a minute", "weniger als eine Minute";

    /// Of an alert that has one alarm for all records together: it is named instead of a place.
    WHERE_ALL = "for \"{rule}\"", "für „{rule}“";
    WHERE_PROJECT = "in project {name}", "im Projekt {name}";
    WHERE_WORKSITE = "at {name}", "am Standort {name}";
    WHERE_MACHINE = "at {name}", "bei {name}";
    WHERE_BASE_STATION = "at base station {name}", "an Basisstation {name}";
    WHERE_PERSON = "for {name}", "für {name}";
    WHERE_TAG = "for tag {name}", "für Transponder {name}";
    WHERE_PAIR = "of {person} with {machine}", "von {person} mit {machine}";
    WHERE_AND_SITE = "{place}, {site}", "{place}, {site}";
    /// Of an alert that counts only some of what happens at a place.
    WHERE_ONLY = "{place}, only {names}", "{place}, nur {names}";

    TODAY = "today", "heute";
    THIS_WEEK = "this week", "in dieser Woche";

    SEVERITY_INFO = "Information", "Hinweis";
    SEVERITY_WARNING = "Warning", "Warnung";
    SEVERITY_CRITICAL = "Critical", "Kritisch";

    AT_LEAST = "at least {level}", "mindestens {level}";
    AT_MOST = "at most {level}", "höchstens {level}";
    /// A ratio with what it was computed from.
    RATIO_OF = "{value} ({part} of {whole})", "{value} ({part} von {whole})";
    /// A rate with what it was computed from.
    RATE_OF = "{value} ({count} in {runtime} of runtime)", "{value} ({count} in {runtime} Betriebszeit)";
}

counted! {
    HEADLINE_INCURSIONS = ("{n} incursion {window} {where} (threshold {threshold})",
        "{n} incursions {window} {where} (threshold {threshold})"),
        ("{n} Annäherung {window} {where} (Schwellenwert {threshold})",
        "{n} Annäherungen {window} {where} (Schwellenwert {threshold})");
    HEADLINE_UNACKNOWLEDGED_INCURSIONS = ("{n} unacknowledged incursion {window} {where} (threshold {threshold})",
        "{n} unacknowledged incursions {window} {where} (threshold {threshold})"),
        ("{n} nicht quittierte Annäherung {window} {where} (Schwellenwert {threshold})",
        "{n} nicht quittierte Annäherungen {window} {where} (Schwellenwert {threshold})");
    HEADLINE_REPEAT_PAIR = ("{n} incursion {where} {window} (threshold {threshold})",
        "{n} incursions {where} {window} (threshold {threshold})"),
        ("{n} Annäherung {where} {window} (Schwellenwert {threshold})",
        "{n} Annäherungen {where} {window} (Schwellenwert {threshold})");

    IN_MINUTES = ("in {n} minute", "in {n} minutes"), ("in {n} Minute", "in {n} Minuten");
    IN_HOURS = ("in {n} hour", "in {n} hours"), ("in {n} Stunde", "in {n} Stunden");
    IN_DAYS = ("in {n} day", "in {n} days"), ("in {n} Tag", "in {n} Tagen");
    WHOLE_DAYS = ("{n} day", "{n} days"), ("{n} Tag", "{n} Tage");
}

/// Returns what happened, where and how much, by the word of the metric. The values are `value`, `where`, `window`, `threshold` and, for
/// silent base stations, `station`, as they are written.
pub fn headline(language: Language, metric: &str, values: &[(&str, &str)]) -> String {
    const TEXTS: [(&str, Text); 8] = [
        ("acknowledgement_rate", HEADLINE_ACKNOWLEDGEMENT_RATE),
        ("incursions_per_runtime_hour", HEADLINE_INCURSIONS_PER_RUNTIME_HOUR),
        ("long_incursion", HEADLINE_LONG_INCURSION),
        ("tag_test_overdue", HEADLINE_TAG_TEST_OVERDUE),
        ("tag_battery_low", HEADLINE_TAG_BATTERY_LOW),
        ("base_station_silent", HEADLINE_BASE_STATION_SILENT),
        ("visitor_overstay", HEADLINE_VISITOR_OVERSTAY),
        ("drift", HEADLINE_DRIFT),
    ];
    const COUNTS: [(&str, Counted); 2] = [
        ("unacknowledged_incursions", HEADLINE_UNACKNOWLEDGED_INCURSIONS),
        ("repeat_pair", HEADLINE_REPEAT_PAIR),
    ];
    if let Some((_, text)) = TEXTS.iter().find(|(known, _)| *known == metric) {
        return text.fill(language, values);
    }
    let count = COUNTS.iter().find(|(known, _)| *known == metric);
    let count = count.map_or(HEADLINE_INCURSIONS, |(_, text)| *text);
    let written = values.iter().find(|(name, _)| *name == "value").map_or("", |(_, value)| *value);
    let mut all = values.to_vec();
    all.push(("n", written));
    // Only one is written as `1`, and the form for all others fits any other text.
    count.of(language, i64::from(written == "1"), &all)
}

/// Returns the name of a severity.
pub fn severity(language: Language, word: &str) -> &'static str {
    let table = [("info", SEVERITY_INFO), ("warning", SEVERITY_WARNING), ("critical", SEVERITY_CRITICAL)];
    find(language, word, &table).unwrap_or(SEVERITY_WARNING.get(language))
}

/// Writes a value in the unit of its metric.
pub fn value(language: Language, unit: &str, value: f64) -> String {
    let written = match unit {
        "ratio" => percent(language, value, digits_of(value * 100.0, 1)),
        "percent" => percent(language, value / 100.0, digits_of(value, 1)),
        "seconds" => seconds(language, value),
        // Beyond the range of whole numbers the casts stay at their ends.
        "minutes" => minutes(language, value.round() as i64),
        "days" => WHOLE_DAYS.of(language, value.round() as i64, &[]),
        "count" => integer(language, value.round() as i64),
        _ => decimal(language, value, digits_of(value, 2)),
    };
    // An ordinary blank, because the texts are plain.
    written.replace('\u{a0}', " ")
}

/// Writes whole minutes, from two days on in days and hours.
fn minutes(language: Language, minutes: i64) -> String {
    const HOUR: i64 = 60;
    const DAY: i64 = 24 * HOUR;
    let amount = |number: i64, unit: &str| format!("{} {unit}", integer(language, number));
    let (first, rest) = match minutes {
        minutes if minutes >= 2 * DAY => {
            let hours = minutes % DAY / HOUR;
            (WHOLE_DAYS.of(language, minutes / DAY, &[]), (hours > 0).then(|| amount(hours, "h")))
        }
        minutes if minutes >= HOUR => {
            let rest = minutes % HOUR;
            (amount(minutes / HOUR, "h"), (rest > 0).then(|| amount(rest, "min")))
        }
        minutes => (amount(minutes, "min"), None),
    };
    match rest {
        Some(rest) => format!("{first} {rest}"),
        None => first,
    }
}

/// Writes the length of a rolling window, as part of a headline.
pub fn rolling_window(language: Language, minutes: i64) -> String {
    match minutes {
        minutes if minutes >= 2_880 && minutes % 1_440 == 0 => IN_DAYS.of(language, minutes / 1_440, &[]),
        minutes if minutes >= 120 && minutes % 60 == 0 => IN_HOURS.of(language, minutes / 60, &[]),
        minutes => IN_MINUTES.of(language, minutes, &[]),
    }
}

/// Returns the decimals that a number needs, up to a limit.
fn digits_of(number: f64, limit: usize) -> usize {
    let mut factor = 1.0;
    for digits in 0..limit {
        if ((number * factor).round() - number * factor).abs() < 1e-6 {
            return digits;
        }
        factor *= 10.0;
    }
    limit
}

#[cfg(test)]
mod tests {
    use super::*;
    use Language::{English, German};

    #[test]
    fn a_headline_says_what_where_and_how_much() {
        let values = |value, place| {
            [("value", value), ("where", place), ("window", "in 60 minutes"), ("threshold", "10")]
        };
        assert_eq!(
            headline(English, "incursions", &values("12", "at Yard North")),
            "12 incursions in 60 minutes at Yard North (threshold 10)"
        );
        assert_eq!(
            headline(English, "unacknowledged_incursions", &values("1", "at Yard North")),
            "1 unacknowledged incursion in 60 minutes at Yard North (threshold 10)"
        );
        assert_eq!(
            headline(English, "repeat_pair", &values("11", "of Person 7 with Crane 2")),
            "11 incursions of Person 7 with Crane 2 in 60 minutes (threshold 10)"
        );
        assert_eq!(
            headline(German, "incursions", &values("1.200", "am Standort {value}")),
            "1.200 Annäherungen in 60 minutes am Standort {value} (Schwellenwert 10)"
        );
        assert_eq!(
            headline(German, "tag_battery_low", &values("9 %", "für Transponder T-1")),
            "Transponderbatterie bei 9 % für Transponder T-1 (Schwellenwert 10)"
        );
    }

    /// The words are those of the API; a test of `app` compares them with the metrics.
    #[test]
    fn every_headline_names_the_value_and_the_threshold() {
        for metric in [
            "incursions",
            "unacknowledged_incursions",
            "acknowledgement_rate",
            "incursions_per_runtime_hour",
            "long_incursion",
            "repeat_pair",
            "tag_test_overdue",
            "tag_battery_low",
            "base_station_silent",
            "visitor_overstay",
            "drift",
        ] {
            for language in Language::ALL {
                let values = [
                    ("value", "VALUE"),
                    ("where", "PLACE"),
                    ("window", ""),
                    ("threshold", "LIMIT"),
                    ("station", "STATION"),
                ];
                let text = headline(language, metric, &values);
                for part in ["VALUE", "PLACE", "LIMIT"] {
                    assert!(text.contains(part), "{metric}: {text}");
                }
                assert!(!text.contains('{') && (language == German || text.is_ascii()), "{metric}: {text}");
            }
        }
    }

    #[test]
    fn values_are_written_in_their_unit() {
        for (unit, number, english, german) in [
            ("count", 1_234.0, "1,234", "1.234"),
            ("ratio", 0.8, "80 %", "80 %"),
            ("ratio", 0.615_4, "61.5 %", "61,5 %"),
            ("per_hour", 2.0, "2", "2"),
            ("per_hour", 2.4, "2.4", "2,4"),
            ("per_hour", 2.456, "2.46", "2,46"),
            ("seconds", 95.0, "1 min 35 s", "1 min 35 s"),
            ("days", 1.0, "1 day", "1 Tag"),
            ("days", 32.0, "32 days", "32 Tage"),
            ("percent", 12.0, "12 %", "12 %"),
            ("minutes", 45.0, "45 min", "45 min"),
            ("minutes", 0.0, "0 min", "0 min"),
            ("minutes", 1_500.0, "25 h", "25 h"),
            ("minutes", 2_879.0, "47 h 59 min", "47 h 59 min"),
            ("minutes", 2_880.0, "2 days", "2 Tage"),
            ("minutes", 7_276.0, "5 days 1 h", "5 Tage 1 h"),
            ("minutes", 121_209.0, "84 days 4 h", "84 Tage 4 h"),
        ] {
            assert_eq!(value(English, unit, number), english, "{unit} {number}");
            assert_eq!(value(German, unit, number), german, "{unit} {number}");
        }
    }

    #[test]
    fn a_window_is_written_in_the_unit_that_people_use() {
        for (minutes, english, german) in [
            (5, "in 5 minutes", "in 5 Minuten"),
            (60, "in 60 minutes", "in 60 Minuten"),
            (90, "in 90 minutes", "in 90 Minuten"),
            (120, "in 2 hours", "in 2 Stunden"),
            (1_440, "in 24 hours", "in 24 Stunden"),
            (2_880, "in 2 days", "in 2 Tagen"),
            (43_200, "in 30 days", "in 30 Tagen"),
        ] {
            assert_eq!(rolling_window(English, minutes), english);
            assert_eq!(rolling_window(German, minutes), german);
        }
    }

    #[test]
    fn severities_have_names() {
        assert_eq!(severity(English, "critical"), "Critical");
        assert_eq!(severity(German, "info"), "Hinweis");
        assert_eq!(severity(German, "unheard of"), "Warnung");
    }
}
