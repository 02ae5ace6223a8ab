//! Honest answers pass, in both languages.

use super::sheets::{answer, drop_reason_of, everything};
use crate::*;
use texts::Language::{self, English, German};

type Honest = &'static [(&'static str, &'static [&'static str])];

const ENGLISH: Honest = &[
    ("There were 310 incursions in 28 days, 12 % more than in the previous period (277).", &["f1"]),
    ("There were 310 incursions, 12% more than the 277 of the previous period.", &["f1"]),
    ("Incursions rose by 12 % to 310.", &["f1"]),
    ("Incursions probably rose from 277 to 310.", &["f1"]),
    ("The number of incursions increased by 12 percent, from 277 in the previous period to 310.", &["f1"]),
    ("In this period, 310 incursions were recorded at the site.", &["f1"]),
    ("From 2 February to 1 March there were 310 incursions.", &["f1"]),
    ("310 incursions were counted, up from 277 in the previous period.", &["f1"]),
    ("The rate is 0.42 incursions per runtime hour, up from 0.36 in the previous period.", &["f2"]),
    ("Incursions per runtime hour rose from 0.36 to 0.42.", &["f2"]),
    ("62 % of the incursions were acknowledged, against 71 % in the previous period.", &["f3"]),
    ("192 of the 310 incursions were acknowledged in the cab (62 %).", &["f3"]),
    ("The acknowledgement rate fell by 9 percentage points to 62 %, a clear difference.", &["f3"]),
    ("The acknowledgement rate fell from 71 % in the previous period to 62 %.", &["f3"]),
    ("Compared with the weeks after installation, the rate of incursions has doubled.", &["f4"]),
    (
        "Now there are 0.42 incursions per runtime hour, up from 0.21 in the weeks after installation.",
        &["f4"],
    ),
    (
        "Machine A had 40 incursions in 120 runtime hours, while 12.4 would be expected from comparable machines.",
        &["f5"],
    ),
    ("Machine A had 3.2 times as many incursions as expected.", &["f5"]),
    (
        "With 40 incursions in 120 runtime hours, machine A had more than the 12 expected from comparable machines.",
        &["f5"],
    ),
    ("Person A had 21 incursions on 9 days on foot, where 3 to 16 would be usual.", &["f6"]),
    ("Operator A had 4 incursions in 161 hours of driving, fewer than the 19 expected.", &["f7"]),
    ("Machine A and person A came close 12 times on 6 days.", &["f8"]),
    ("On 6 days, person A and machine A came close to each other twelve times.", &["f8"]),
    ("Two of 6 base stations are silent.", &["f9"]),
    ("Base station A and base station B are silent (2 of 6 base stations).", &["f9"]),
    ("There is no data for 3 of 20 working days.", &["f10"]),
    ("The person on foot is unknown in 22 % of the incursions (21 of 96).", &["f11"]),
    ("The danger zone of machine B was enlarged from 4 m to 6 m in the period.", &["f12"]),
    ("An incursion lasted 14 s on average, 20 % longer than before (12 s).", &["f13"]),
    ("On average, incursions lasted 14 seconds.", &["f13"]),
    ("People on foot spent 1 h 14 min in zones.", &["f14"]),
    ("People on foot spent a total of 1 hour and 14 minutes in zones of machines.", &["f14"]),
    ("41 of 310 incursions reached the danger zone (13 %).", &["f15"]),
    ("The machines ran for 1,738 hours, 126 % more than in the previous period.", &["f16"]),
    ("Between 07:00 and 10:00, 118 of 310 incursions began (38 %).", &["f17"]),
    ("38 % of the incursions began between 7:00 and 10:00, compared with 25 % of the runtime.", &["f17"]),
    ("28 % of the incursions with a position began in the same place on the map.", &["f18"]),
    ("Machine C accounted for 13 % of the incursions with 7 % of the runtime.", &["f19"]),
    ("At the end of the period, 9 of 12 tags with incursions were in test.", &["f20"]),
    ("31 of 310 incursions happened with tags that were not in test.", &["f21"]),
    ("There were 310 incursions in 28 days, and 62 % of the incursions were acknowledged.", &["f1", "f3"]),
    (
        "Incursions rose by 12 % to 310; the machines ran for 1,738 hours; 13 % of the incursions reached the danger zone.",
        &["f1", "f15", "f16"],
    ),
    ("There were 310 incursions in 28 days, up 12 % from 277.", &["f1"]),
    ("There were 310 incursions in 28 days, an increase of 12 % over the previous period (277).", &["f1"]),
    (
        "The number of incursions increased by 12 % from 277 to 310, which is probably a real difference.",
        &["f1"],
    ),
    (
        "62 % of incursions were acknowledged (192 of 310), down from 71 % in the previous period, which is a clear difference.",
        &["f3"],
    ),
    ("The acknowledgement rate was 62 % (192 of 310), lower than the 71 % in the previous period.", &["f3"]),
    ("The acknowledgement rate decreased from 71 % to 62 %.", &["f3"]),
    (
        "The incursion rate was 0.42 per runtime hour, which is 17 % more than in the previous period (0.36).",
        &["f2"],
    ),
    ("The incursion rate has doubled since the weeks after installation.", &["f4"]),
    ("Machine A recorded 40 incursions in 120 runtime hours.", &["f5"]),
    ("Person A and machine A came close 12 times over 6 days.", &["f8"]),
    ("Currently, 2 of 6 base stations are silent.", &["f9"]),
    (
        "The average duration of an incursion was 14 s, 20 % longer than in the previous period (12 s).",
        &["f13"],
    ),
    ("13 % of the incursions (41 of 310) reached the danger zone.", &["f15"]),
    ("62 % of the incursions (192 of 310) were acknowledged.", &["f3"]),
    ("38 % of the incursions (118 of 310) began between 07:00 and 10:00.", &["f17"]),
    ("Machine C was involved in 13 % of the incursions.", &["f19"]),
    ("At the end of the period, 75 % of tags with incursions were in test (9 of 12).", &["f20"]),
    ("Incursions rose from 277 to 310, an increase of 12 %.", &["f1"]),
    ("There were 310 incursions in 28 days, which is 12 % more than in the previous period (277).", &["f1"]),
    ("The site had 310 incursions in 28 days, compared with 277 in the previous period.", &["f1"]),
    ("Machine A had 40 incursions in 120 runtime hours, more than the expected 12.", &["f5"]),
];

const ENGLISH_ADVICE: Honest = &[
    ("Ask the operators to acknowledge each incursion.", &["f3"]),
    ("Check the zone sizes of machine A.", &["f5"]),
    ("Keep people on foot away from the machines between 07:00 and 10:00.", &["f17"]),
    ("Test all tags before each shift.", &["f20", "f21"]),
    ("Discuss the incursions of the period with the team.", &["f1"]),
    ("Keep machine A and person A apart.", &["f8"]),
    ("Check the working area of machine A.", &["f5"]),
    ("Ensure all tags are tested before the shift.", &["f20"]),
    ("Review the working areas where people on foot reach the danger zone.", &["f15"]),
];

const ENGLISH_LIMITS: Honest = &[
    ("On 3 of 20 working days there is no data.", &["f10"]),
    ("2 of 6 base stations are silent, and what happens near their machines may be missing.", &["f9"]),
    ("There is no data on 3 of 20 working days; 2 of 6 base stations are silent.", &["f9", "f10"]),
    ("Data is missing for 3 of 20 working days.", &["f10"]),
];

const GERMAN: Honest = &[
    ("In 28 Tagen gab es 310 Annäherungen, 12 % mehr als im vorherigen Zeitraum (277).", &["f1"]),
    ("Es gab 310 Annäherungen, 12 Prozent mehr als die 277 des vorherigen Zeitraums.", &["f1"]),
    ("Die Zahl der Annäherungen stieg wahrscheinlich von 277 auf 310.", &["f1"]),
    ("Die Anzahl der Annäherungen stieg um 12 % auf 310.", &["f1"]),
    ("Vom 2. Februar bis zum 1. März 2026 gab es 310 Annäherungen.", &["f1"]),
    ("Im Zeitraum wurden am Standort 310 Annäherungen erfasst.", &["f1"]),
    ("Es gab 0,42 Annäherungen pro Betriebsstunde, im vorherigen Zeitraum waren es 0,36.", &["f2"]),
    ("62 % der Annäherungen wurden quittiert, gegenüber 71 % im vorherigen Zeitraum.", &["f3"]),
    ("Die Quittierungsquote sank um 9 Prozentpunkte auf 62 %, ein deutlicher Unterschied.", &["f3"]),
    (
        "Gegenüber den Wochen nach dem Einbau hat sich die Zahl der Annäherungen pro Betriebsstunde verdoppelt.",
        &["f4"],
    ),
    ("Maschine A hatte 40 Annäherungen in 120 Betriebsstunden, zu erwarten wären 12,4.", &["f5"]),
    ("In 120 Betriebsstunden hatte Maschine A 40 Annäherungen, mehr als erwartet (12).", &["f5"]),
    ("Person A hatte 21 Annäherungen an 9 Tagen zu Fuß, üblich wären 3 bis 16.", &["f6"]),
    (
        "Maschinenführer A hatte 4 Annäherungen in 161 Stunden am Steuer, weniger als erwartet (18,6).",
        &["f7"],
    ),
    ("Maschine A und Person A kamen sich 12-mal an 6 Tagen nahe.", &["f8"]),
    ("An 6 Tagen kamen sich Person A und Maschine A 12 Mal nahe.", &["f8"]),
    ("Zwei von 6 Basisstationen sind stumm.", &["f9"]),
    ("Die Person zu Fuß ist bei 22 % der Annäherungen unbekannt.", &["f11"]),
    ("Die Gefahrenzone von Maschine B wurde im Zeitraum von 4,0 m auf 6,0 m vergrößert.", &["f12"]),
    ("Eine Annäherung dauerte durchschnittlich 14 s.", &["f13"]),
    ("Im Durchschnitt dauerte eine Annäherung 14 Sekunden, 20 % länger als vorher.", &["f13"]),
    ("Personen zu Fuß verbrachten insgesamt 1 h 14 min in Zonen von Maschinen.", &["f14"]),
    ("Bei 13 % der Annäherungen wurde die Gefahrenzone erreicht (41 von 310).", &["f15"]),
    ("Die Maschinen liefen 1.738 Stunden, 126 % mehr als im vorherigen Zeitraum (769 Stunden).", &["f16"]),
    ("Zwischen 7 und 10 Uhr begannen 38 % der Annäherungen (118 von 310).", &["f17"]),
    ("28 % der Annäherungen mit Position begannen an einer Stelle der Karte.", &["f18"]),
    ("Auf Maschine C entfielen 13 % der Annäherungen, bei 7 % der Betriebszeit.", &["f19"]),
    ("75 % der Transponder mit Annäherungen waren am Ende des Zeitraums gültig getestet.", &["f20"]),
    ("31 von 310 Annäherungen geschahen mit Transpondern, die nicht gültig getestet waren.", &["f21"]),
    ("Es gab 310 Annäherungen in 28 Tagen, und 62 % der Annäherungen wurden quittiert.", &["f1", "f3"]),
    ("Die Maschinen liefen 1.738 Stunden; es gab 310 Annäherungen.", &["f16", "f1"]),
    ("62 % der Annäherungen (192 von 310) wurden quittiert.", &["f3"]),
    ("Die Zahl der Annäherungen stieg um 12 % von 277 auf 310.", &["f1"]),
    ("Die Zahl der Annäherungen ist um 12 % auf 310 gestiegen.", &["f1"]),
    ("Im Zeitraum gab es 310 Annäherungen, das sind 12 % mehr als im vorherigen Zeitraum (277).", &["f1"]),
    ("Die Quittierungsquote sank von 71 % auf 62 %.", &["f3"]),
    ("Die Quittierungsquote ist von 71 % auf 62 % gesunken.", &["f3"]),
    ("Maschine A und Person A kamen sich an 6 Tagen 12-mal nahe.", &["f8"]),
    ("13 % der Annäherungen (41 von 310) erreichten die Gefahrenzone.", &["f15"]),
    (
        "Zwischen 07:00 und 10:00 Uhr begannen 38 % der Annäherungen, mehr als die 25 % der Betriebszeit in diesen Stunden.",
        &["f17"],
    ),
];

const GERMAN_ADVICE: Honest = &[
    ("Sprechen Sie mit Person A über die Arbeit in der Nähe von Maschinen.", &["f6"]),
    ("Prüfen Sie die Zonen von Maschine A.", &["f5"]),
    ("Bitten Sie die Maschinenführer, jede Annäherung zu quittieren.", &["f3"]),
    ("Halten Sie Personen zu Fuß zwischen 7 und 10 Uhr von den Maschinen fern.", &["f17"]),
    ("Testen Sie alle Transponder vor jeder Schicht.", &["f20"]),
];

const GERMAN_LIMITS: Honest = &[
    ("An 3 von 20 Arbeitstagen fehlen Daten.", &["f10"]),
    (
        "2 von 6 Basisstationen sind stumm, und was in der Nähe ihrer Maschinen geschieht, kann fehlen.",
        &["f9"],
    ),
];

#[test]
fn honest_sentences_pass() {
    let all = [
        (English, "finding", ENGLISH),
        (English, "recommendation", ENGLISH_ADVICE),
        (English, "limitation", ENGLISH_LIMITS),
        (German, "finding", GERMAN),
        (German, "recommendation", GERMAN_ADVICE),
        (German, "limitation", GERMAN_LIMITS),
    ];
    let mut dropped = Vec::new();
    for (language, role, sentences) in all {
        for (text, facts) in sentences {
            let reason = drop_reason_of(language, role, text, facts);
            dropped.extend(reason.map(|reason| (*text, reason)));
        }
    }
    assert_eq!(dropped, []);
}

fn check(language: Language, sentences: &[(&str, &str, &[&str])]) -> CheckedAnswer {
    let sheet = everything();
    let roles = Roles::anonymous(&sheet, language);
    check_answer(&sheet, language, &roles, &answer(sentences)).unwrap()
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
fn a_sentence_cites_only_the_facts_that_it_tells() {
    let checked = check(
        English,
        &[
            ("finding", "There were 310 incursions.", &["f3", "f1", "f1"]),
            ("recommendation", "Test all tags before the shift.", &["f16", "f21", "f20"]),
        ],
    );
    let facts: Vec<&[String]> = checked.sentences.iter().map(|sentence| &*sentence.facts).collect();
    assert_eq!(facts, [&["f1".to_owned()][..], &["f21".to_owned(), "f20".to_owned()]]);
}

#[test]
fn too_little_is_not_enough() {
    let findings = |places: &[usize]| -> Vec<(&str, &str, &[&str])> {
        places.iter().map(|place| ("finding", ENGLISH[*place].0, ENGLISH[*place].1)).collect()
    };
    let reasons = |places: &[usize]| {
        let checked = check(English, &findings(places));
        let reasons: Vec<DropReason> = checked.dropped.iter().map(|dropped| dropped.reason).collect();
        (checked.is_enough(), reasons)
    };
    assert_eq!(reasons(&[0, 8]), (false, vec![]));
    // The same fact again is no finding.
    assert_eq!(reasons(&[0, 1, 2]), (false, vec![DropReason::Repeated; 2]));
    assert_eq!(reasons(&[0, 8, 10]), (true, vec![]));
    // More than five are too many, but not false.
    assert_eq!(reasons(&[0, 8, 10, 14, 16, 19, 21, 22, 23]), (true, vec![DropReason::TooMany; 4]));
    // One of three sentences may be dropped, but not more.
    let with_lies = |count: usize| {
        let mut sentences = findings(&[0, 8, 10, 14]);
        sentences.extend(vec![("finding", "There were 311 incursions.", &["f1"][..]); count]);
        check(English, &sentences).is_enough()
    };
    assert_eq!([0, 2, 3].map(with_lies), [true, true, false]);
}
