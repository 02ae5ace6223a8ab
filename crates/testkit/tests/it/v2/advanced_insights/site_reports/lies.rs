//! A model that lies in ten named ways: none of them gets through, and an honest answer does.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use testbed::{Lie, ModelReply, ModelServer};
use testkit::{Engine, on_both_engines};

use super::model::{site_with_model, start};
use super::{sentences, write};

on_both_engines!(
    a_model_that_always_lies_writes_nothing,
    one_lie_among_honest_sentences_is_dropped_for_its_reason,
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
        Lie::SwappedNames | Lie::InventedSite => "name",
        Lie::WrongDirection => "direction",
        Lie::PercentForCount | Lie::UnitSwapped => "unit",
        Lie::ExtraSentence => "extra_sentence",
        Lie::Instructions => "instruction",
        Lie::HalfAnAnswer => "unfinished",
    }
}

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
    assert_eq!(write(&yard, &yard.admin, "en").await["generator"], "model");
    let mut by_rules: Option<Value> = None;
    for lie in Lie::ALL {
        *script.lock().unwrap() = Script::Always(lie);
        let report = write(&yard, &yard.admin, "en").await;
        assert_eq!(report["generator"], "rules", "{lie:?}: {:#}", report["checks"]);
        let expected = if lie == Lie::HalfAnAnswer { "answer_broken" } else { "checks_failed" };
        assert_eq!(report["fallback_reason"], expected, "{lie:?}");
        let attempts = report["checks"]["attempts"].as_array().unwrap();
        assert_eq!(attempts.len(), 2, "{lie:?}");
        for attempt in attempts.iter().filter(|attempt| attempt["outcome"] == "checks_failed") {
            let dropped = attempt["dropped"].as_array().unwrap();
            assert_eq!(json!(dropped.len()), attempt["sentences"], "{lie:?}: {attempt:#}");
        }
        // What is shown instead is the same for every lie.
        assert_eq!(
            by_rules.get_or_insert_with(|| report["sentences"].clone()),
            &report["sentences"],
            "{lie:?}"
        );
    }
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
