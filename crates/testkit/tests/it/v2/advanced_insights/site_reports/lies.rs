//! A model that lies in ten named ways and in others, in both languages: nothing of it gets through, and an honest answer does.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use testbed::{Lie, ModelReply, ModelRequest, ModelServer};
use testkit::{Engine, on_both_engines};

use super::model::{site_with_model, start};
use super::{sentences, write};

on_both_engines!(
    a_model_that_always_lies_writes_nothing,
    one_lie_among_honest_sentences_is_dropped_for_its_reason,
    sentences_that_no_fact_supports_are_dropped,
);

/// What the model does.
#[derive(Clone, Copy)]
enum Script {
    Honest,
    Always(Lie),
    Once(Lie),
}

/// The reason why each lie is dropped among honest sentences.
const fn reason(lie: Lie) -> &'static str {
    match lie {
        Lie::WrongNumber | Lie::NumberInWords => "number",
        Lie::SwappedNames => "name",
        Lie::InventedSite
        | Lie::WrongDirection
        | Lie::PercentForCount
        | Lie::UnitSwapped
        | Lie::Instructions => "words",
        Lie::ExtraSentence => "extra_sentence",
        Lie::HalfAnAnswer => "unfinished",
    }
}

/// A kind of fact, a role, and a sentence that the fact does not support, although its numbers are right.
type Unsupported = (&'static str, &'static str, &'static str);

const ENGLISH: [Unsupported; 15] = [
    (
        "incursions",
        "finding",
        "There were 57 incursions, 185 % more than expected from comparable sites (20).",
    ),
    ("incursions", "finding", "There were 57 incursions, 185 % more than after installation (20)."),
    ("incursions", "finding", "The number of incursions stayed at 57."),
    ("incursions", "finding", "There will be 57 incursions in 28 days."),
    ("incursions", "finding", "Driving made the number of incursions rise from 20 to 57."),
    ("acknowledgement_rate", "finding", "67 % of the incursions are yet to be acknowledged."),
    ("acknowledgement_rate", "finding", "67 % of the incursions missed an acknowledgement (38 of 57)."),
    ("danger_share", "finding", "33 % of the incursions stayed away from the danger zone (19 of 57)."),
    ("busiest_hours", "finding", "67 % of the runtime began between 06:00 and 09:00."),
    ("repeated_pair", "finding", "Machine A and person A stayed apart 38 times on 19 days."),
    (
        "repeated_pair",
        "finding",
        "Machine A and person A came close 38 times on 19 days; these were in the danger zone.",
    ),
    (
        "test_compliance",
        "finding",
        "1 of 2 tags with incursions was missing a test at the end of the period.",
    ),
    (
        "danger_share",
        "recommendation",
        "Ask people on foot to stay in the danger zone while machines are running.",
    ),
    ("repeated_pair", "recommendation", "Go close to machine A."),
    ("days_without_data", "limitation", "There is data for the period, and the data is complete."),
];

const GERMAN: [Unsupported; 10] = [
    ("incursions", "finding", "Es gab 57 Annäherungen, 185 % mehr als an vergleichbaren Standorten (20)."),
    ("incursions", "finding", "Die Zahl der Annäherungen blieb bei 57."),
    ("incursions", "finding", "Mit der Einweisung kamen 185 % mehr Annäherungen."),
    ("acknowledgement_rate", "finding", "Bei 67 % der Annäherungen fehlte die Quittierung (38 von 57)."),
    ("acknowledgement_rate", "finding", "67 % der Annäherungen sind noch zu quittieren."),
    ("danger_share", "finding", "33 % der Annäherungen blieben fern der Gefahrenzone (19 von 57)."),
    ("busiest_hours", "finding", "67 % der Betriebszeit lag zwischen 6 und 9 Uhr."),
    ("repeated_pair", "finding", "Person A saß 38 Mal an 19 Tagen am Steuer von Maschine A."),
    ("danger_share", "recommendation", "Gehen Sie in die Gefahrenzone."),
    ("days_without_data", "limitation", "An 1 von 20 Arbeitstagen fehlten keine Daten."),
];

fn scripted(script: &Arc<Mutex<Script>>) -> ModelServer {
    let script = Arc::clone(script);
    start(move |request, _| match *script.lock().unwrap() {
        Script::Honest => ModelReply::honest(request),
        Script::Always(lie) => lie.answer(request),
        Script::Once(lie) => lie.among_honest_sentences(request),
    })
}

async fn a_model_that_always_lies_writes_nothing(engine: Engine) {
    let script = Arc::new(Mutex::new(Script::Honest));
    let server = scripted(&script);
    let yard = site_with_model(engine, &server).await;
    for language in ["en", "de"] {
        *script.lock().unwrap() = Script::Honest;
        assert_eq!(write(&yard, &yard.admin, language).await["generator"], "model");
        let mut by_rules: Option<Value> = None;
        for lie in Lie::ALL {
            *script.lock().unwrap() = Script::Always(lie);
            let report = write(&yard, &yard.admin, language).await;
            assert_eq!(report["generator"], "rules", "{lie:?}: {:#}", report["checks"]);
            let expected = if lie == Lie::HalfAnAnswer { "answer_broken" } else { "checks_failed" };
            assert_eq!(report["fallback_reason"], expected, "{lie:?}");
            let attempts = report["checks"]["attempts"].as_array().unwrap();
            assert_eq!(attempts.len(), 2, "{lie:?}");
            for attempt in attempts.iter().filter(|attempt| attempt["outcome"] == "checks_failed") {
                assert_all_dropped(attempt, &format!("{language}, {lie:?}"));
            }
            // What is shown instead is the same for every lie.
            let first = by_rules.get_or_insert_with(|| report["sentences"].clone());
            assert_eq!(first, &report["sentences"], "{lie:?}");
        }
    }
}

/// Checks that all sentences of an answer were dropped, and none of them only because there were too many.
fn assert_all_dropped(attempt: &Value, context: &str) {
    let dropped = attempt["dropped"].as_array().unwrap();
    assert_eq!(json!(dropped.len()), attempt["sentences"], "{context}: {attempt:#}");
    assert!(dropped.iter().all(|one| one["reason"] != "too_many"), "{context}: {attempt:#}");
}

async fn one_lie_among_honest_sentences_is_dropped_for_its_reason(engine: Engine) {
    let script = Arc::new(Mutex::new(Script::Honest));
    let server = scripted(&script);
    let yard = site_with_model(engine, &server).await;
    let honest = write(&yard, &yard.admin, "en").await;
    for lie in Lie::ALL {
        *script.lock().unwrap() = Script::Once(lie);
        let report = write(&yard, &yard.admin, "en").await;
        assert_eq!(report["generator"], "model", "{lie:?}: {:#}", report["checks"]);
        assert_eq!(sentences(&report, "finding"), sentences(&honest, "finding"), "{lie:?}");
        let dropped = report["checks"]["attempts"][0]["dropped"].as_array().unwrap().clone();
        let reasons: Vec<&Value> = dropped.iter().map(|one| &one["reason"]).collect();
        assert_eq!(reasons, [reason(lie)], "{lie:?}: {dropped:#?}");
    }
}

async fn sentences_that_no_fact_supports_are_dropped(engine: Engine) {
    let server = start(|request, _| {
        let is_german = request.body["messages"][0]["content"].as_str().unwrap().contains("German");
        let lies: &[Unsupported] = if is_german { &GERMAN } else { &ENGLISH };
        ModelReply::sentences(&unsupported(request, lies))
    });
    let yard = site_with_model(engine, &server).await;
    for (language, count) in [("en", ENGLISH.len()), ("de", GERMAN.len())] {
        let report = write(&yard, &yard.admin, language).await;
        assert_eq!(report["generator"], "rules", "{:#}", report["checks"]);
        assert_eq!(report["fallback_reason"], "checks_failed");
        let attempts = report["checks"]["attempts"].as_array().unwrap();
        assert_eq!(attempts.len(), 2);
        for attempt in attempts {
            assert_eq!(attempt["sentences"], json!(count), "{language}");
            assert_all_dropped(attempt, language);
        }
    }
}

/// Returns the sentences, each with the first fact of its kind.
fn unsupported(request: &ModelRequest, lies: &[Unsupported]) -> Vec<Value> {
    let facts = request.facts();
    let id = |kind: &str| {
        let fact = facts.iter().find(|fact| fact["kind"] == kind);
        fact.unwrap_or_else(|| panic!("there is no fact of the kind {kind}"))["id"].clone()
    };
    let sentence =
        |(kind, role, text): &Unsupported| json!({ "role": role, "text": text, "facts": [id(kind)] });
    lies.iter().map(sentence).collect()
}
