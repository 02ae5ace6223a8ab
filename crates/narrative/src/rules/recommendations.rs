//! Recommendations: what the chosen facts support, and nothing else.

use texts::{Language, Text, narrative as t};

use super::{choose, is_total, max_sentences};
use crate::written::clock;
use crate::{Certainty, Direction, Fact, FactKind, FactSheet, Sentence, SentenceRole, Subject, SubjectKind};

const MAX: usize = max_sentences(SentenceRole::Recommendation);
/// Shares in percent below or above which there is something to recommend.
const FEW_ACKNOWLEDGED: f64 = 80.0;
const FEW_TESTED: f64 = 95.0;

/// Recommends what the chosen facts support, in their order. Without anything to do, the measures should stay; if all may be chance,
/// it is too early to say.
pub(super) fn recommend(chosen: &[&Fact], language: Language) -> Vec<Sentence> {
    let mut found: Vec<Sentence> = Vec::new();
    for fact in chosen {
        let Some(text) = advice(fact) else { continue };
        let sentence = write(&text, fact, language);
        match found.iter().position(|other| other.text == sentence.text) {
            Some(place) => found[place].facts.extend(sentence.facts),
            None if found.len() < MAX => found.push(sentence),
            None => {}
        }
    }
    let totals = chosen.iter().find(|fact| is_total(fact.kind));
    if let (Some(totals), true) = (totals, found.is_empty()) {
        found.push(write(&without_advice(chosen, totals), totals, language));
    }
    found
}

/// Returns what is recommended if no fact recommends anything.
fn without_advice(chosen: &[&Fact], totals: &Fact) -> Text {
    let is_fine = chosen.iter().all(|fact| fact.certainty != Certainty::Low) || totals.value == 0.0;
    if is_fine { t::DO_KEEP } else { t::DO_WAIT }
}

/// Returns what may be recommended because of a fact: what the rules would recommend because of it.
pub(crate) fn advice_about(sheet: &FactSheet, fact: &Fact) -> Option<Text> {
    let chosen = choose(sheet);
    let is_open = is_total(fact.kind) && chosen.iter().all(|fact| advice(fact).is_none());
    advice(fact).or_else(|| is_open.then(|| without_advice(&chosen, fact)))
}

/// Returns what a fact recommends. Differences that may be chance recommend nothing.
fn advice(fact: &Fact) -> Option<Text> {
    let is_up = fact.direction() == Some(Direction::Up) && fact.certainty != Certainty::Low;
    let is_sure = fact.certainty != Certainty::Low;
    let outlier = |text: Text| Some(if is_up { text } else { t::DO_LEARN });
    match fact.kind {
        FactKind::Incursions | FactKind::IncursionRate => is_up.then_some(t::DO_REVIEW),
        FactKind::AcknowledgementRate => {
            (fact.value < FEW_ACKNOWLEDGED && is_sure).then_some(t::DO_ACKNOWLEDGE)
        }
        FactKind::DangerShare => is_sure.then_some(t::DO_DANGER),
        FactKind::OutlierMachine => is_up.then_some(t::DO_MACHINE),
        FactKind::OutlierPedestrian => outlier(t::DO_PEDESTRIAN),
        FactKind::OutlierOperator => outlier(t::DO_OPERATOR),
        FactKind::Drift => is_up.then_some(t::DO_DRIFT),
        FactKind::BusiestHours => is_sure.then_some(t::DO_HOURS),
        FactKind::BusiestPlace => is_sure.then_some(t::DO_PLACE),
        FactKind::RepeatedPair => Some(t::DO_PAIR),
        FactKind::TopMachine => is_sure.then_some(t::DO_TOP_MACHINE),
        FactKind::TestCompliance => (fact.value < FEW_TESTED).then_some(t::DO_TEST),
        FactKind::IncursionsWithoutTest => (fact.value > 100.0 - FEW_TESTED).then_some(t::DO_TEST),
        FactKind::SilentStations => (fact.value > 0.0).then_some(t::DO_STATIONS),
        FactKind::AverageDuration
        | FactKind::ZoneTime
        | FactKind::RuntimeHours
        | FactKind::DaysWithoutData
        | FactKind::UnknownPedestrians
        | FactKind::ZoneSizeChanged => None,
    }
}

fn write(text: &Text, fact: &Fact, language: Language) -> Sentence {
    let token = |subject: Option<Subject>| subject.map(Subject::token).unwrap_or_default();
    let (from, to) = fact.hours.unwrap_or((0, 24));
    let values = [
        ("subject", &*token(fact.subjects.first().copied())),
        ("machine", &token(fact.subject(SubjectKind::Machine))),
        ("pedestrian", &token(fact.subject(SubjectKind::Pedestrian))),
        ("from", &clock(from)),
        ("to", &clock(to)),
    ];
    Sentence {
        role: SentenceRole::Recommendation,
        text: text.fill(language, &values),
        facts: vec![fact.id.clone()],
    }
}
