//! Limitations: data that are missing, and numbers that are too small.

use texts::{Language, Text, narrative as t};

use super::max_sentences;
use super::statements::statement;
use crate::{Fact, FactKind, FactSheet, Sentence, SentenceRole};

/// Fewer incursions than this are too few for firm statements.
const FEW_INCURSIONS: f64 = 30.0;
/// From this share on, in percent, incursions without a known person limit the comparison of people.
const MANY_UNKNOWN: f64 = 10.0;
/// How many changed zones are named.
const MAX_ZONES: usize = 3;

/// Says what the facts cannot say, or why they may be incomplete.
pub(super) fn limits(sheet: &FactSheet, language: Language) -> Vec<Sentence> {
    let mut found = Vec::new();
    let mut add = |fact: &Fact, text: String| {
        found.push(Sentence { role: SentenceRole::Limitation, text, facts: vec![fact.id.clone()] });
    };
    let because_of =
        |fact: &Fact, text: Text| text.fill(language, &[("statement", &statement(sheet, fact, language))]);
    let mut zones = 0;
    for fact in &sheet.facts {
        match fact.kind {
            FactKind::SilentStations if fact.value > 0.0 => {
                add(fact, t::STATIONS_MISS.get(language).to_owned());
            }
            FactKind::DaysWithoutData if fact.value > 0.0 => add(fact, because_of(fact, t::DAYS_MISS)),
            FactKind::RuntimeHours if fact.value == 0.0 => add(fact, because_of(fact, t::RATES_MISS)),
            FactKind::UnknownPedestrians if fact.value >= MANY_UNKNOWN => {
                add(fact, because_of(fact, t::UNKNOWN_MISS));
            }
            FactKind::ZoneSizeChanged if zones < MAX_ZONES => {
                zones += 1;
                add(fact, because_of(fact, t::ZONES_MISS));
            }
            _ if is_too_few(fact) => {
                add(fact, t::TOO_FEW.of(language, fact.value.round() as i64, &[]));
            }
            _ => {}
        }
    }
    found.truncate(max_sentences(SentenceRole::Limitation));
    found
}

/// Returns whether there were incursions, but too few for firm statements.
pub(crate) fn is_too_few(fact: &Fact) -> bool {
    fact.kind == FactKind::Incursions && (1.0..FEW_INCURSIONS).contains(&fact.value)
}
