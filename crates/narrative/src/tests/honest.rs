//! Honest answers pass, in both languages.

use super::sheets::{answer, everything};
use crate::*;
use texts::Language::{self, English, German};

const ENGLISH: &[(&str, &str, &[&str])] = &[
    (
        "finding",
        "There were 310 incursions in 28 days, 12 % more than in the previous period (277).",
        &["f1"],
    ),
    ("finding", "Incursions probably rose from 277 to 310.", &["f1"]),
    (
        "finding",
        "The rate is 0.42 incursions per runtime hour, up from 0.36 in the previous period.",
        &["f2"],
    ),
    (
        "finding",
        "Only 62 % of the incursions were acknowledged, against 71 % in the previous period.",
        &["f3"],
    ),
    ("finding", "Compared with the weeks after installation, the rate has doubled.", &["f4"]),
    (
        "finding",
        "Machine A had 40 incursions in 120 runtime hours, while 12.4 would be expected from comparable machines.",
        &["f5"],
    ),
    ("finding", "Machine A had 3.2 times as many incursions as expected.", &["f5"]),
    ("finding", "Person A had 21 incursions on 9 days on foot, where 3 to 16 would be usual.", &["f6"]),
    (
        "finding",
        "Operator A had 4 incursions in 161 hours of driving, fewer than the 18.6 expected.",
        &["f7"],
    ),
    ("finding", "Machine A and person A came close 12 times on 6 days.", &["f8"]),
    ("finding", "Two of 6 base stations are silent.", &["f9"]),
    ("finding", "Between 07:00 and 10:00, 118 of 310 incursions began (38 %).", &["f17"]),
    ("finding", "28 % of the incursions with a position began in the same place on the map.", &["f18"]),
    ("finding", "An incursion lasted 14 s on average, 20 % longer than before (12 s).", &["f13"]),
    ("finding", "People on foot spent 1 h 14 min in zones.", &["f14"]),
    ("finding", "31 of 310 incursions happened with tags that were not in test.", &["f21"]),
    ("finding", "From 2 February to 1 March there were 310 incursions.", &["f1"]),
    ("recommendation", "Ask the operators to acknowledge each incursion.", &["f3"]),
    ("recommendation", "Check the zone sizes of machine A.", &["f5"]),
    ("limitation", "On 3 of 20 working days there is no data.", &["f10"]),
];

const GERMAN: &[(&str, &str, &[&str])] = &[
    ("finding", "In 28 Tagen gab es 310 Annäherungen, 12 % mehr als im vorherigen Zeitraum (277).", &["f1"]),
    ("finding", "Die Zahl der Annäherungen stieg wahrscheinlich von 277 auf 310.", &["f1"]),
    (
        "finding",
        "Es gab 0,42 Annäherungen pro Betriebsstunde, im vorherigen Zeitraum waren es 0,36.",
        &["f2"],
    ),
    (
        "finding",
        "Nur 62 % der Annäherungen wurden quittiert, gegenüber 71 % im vorherigen Zeitraum.",
        &["f3"],
    ),
    ("finding", "Gegenüber den Wochen nach dem Einbau hat sich der Wert verdoppelt.", &["f4"]),
    ("finding", "Maschine A hatte 40 Annäherungen in 120 Betriebsstunden, zu erwarten wären 12,4.", &["f5"]),
    (
        "finding",
        "Maschinenführer A hatte 4 Annäherungen in 161 Stunden am Steuer, weniger als erwartet (18,6).",
        &["f7"],
    ),
    ("finding", "Maschine A und Person A kamen sich 12-mal an 6 Tagen nahe.", &["f8"]),
    ("finding", "Zwischen 7 und 10 Uhr begannen 38 % der Annäherungen (118 von 310).", &["f17"]),
    ("finding", "Eine Annäherung dauerte durchschnittlich 14 s.", &["f13"]),
    (
        "finding",
        "31 von 310 Annäherungen geschahen mit Transpondern, die nicht gültig getestet waren.",
        &["f21"],
    ),
    ("finding", "Vom 2. Februar bis zum 1. März 2026 gab es 310 Annäherungen.", &["f1"]),
    ("recommendation", "Sprechen Sie mit Person A über die Arbeit in der Nähe von Maschinen.", &["f6"]),
    ("limitation", "An 3 von 20 Arbeitstagen fehlen Daten, es gibt keine Daten.", &["f10"]),
];

fn check(language: Language, sentences: &[(&str, &str, &[&str])]) -> CheckedAnswer {
    let sheet = everything();
    let roles = Roles::anonymous(&sheet, language);
    check_answer(&sheet, language, &roles, &answer(sentences)).unwrap()
}

#[test]
fn honest_sentences_pass_whole() {
    for (language, sentences) in [(English, ENGLISH), (German, GERMAN)] {
        let checked = check(language, sentences);
        let dropped = checked
            .dropped
            .iter()
            .map(|dropped| (dropped.reason, &*dropped.detail, sentences[dropped.sentence].1));
        assert_eq!(dropped.collect::<Vec<_>>(), []);
        assert!(checked.is_enough());
        assert_eq!(checked.sentences.len(), sentences.len());
    }
}

#[test]
fn roles_become_tokens() {
    let checked =
        check(English, &[("finding", "Machine A and person A came close 12 times on 6 days.", &["f8"])]);
    assert_eq!(checked.sentences[0].text, "{machine:7} and {pedestrian:12} came close 12 times on 6 days.");
    let checked =
        check(German, &[("recommendation", "Prüfen Sie den Arbeitsbereich von Maschine A.", &["f5"])]);
    assert_eq!(checked.sentences[0].text, "Prüfen Sie den Arbeitsbereich von {machine:7}.");
}

#[test]
fn too_little_is_not_enough() {
    let enough = |sentences: &[(&str, &str, &[&str])]| check(English, sentences).is_enough();
    assert!(!enough(&ENGLISH[..2]));
    // The same fact three times is one finding.
    assert!(!enough(&[ENGLISH[0], ENGLISH[1], ENGLISH[0]]));
    assert!(enough(&[ENGLISH[0], ENGLISH[2], ENGLISH[3]]));
    // One false sentence of five may be dropped, but not more.
    let false_one = ("finding", "There were 311 incursions.", &["f1"][..]);
    assert!(enough(&[ENGLISH[0], ENGLISH[2], ENGLISH[3], ENGLISH[5], false_one]));
    assert!(!enough(&[ENGLISH[0], ENGLISH[2], ENGLISH[3], false_one]));
}
