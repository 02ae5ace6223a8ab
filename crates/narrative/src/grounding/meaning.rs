//! What a statement is about: the words that a kind of fact needs, and those that belong to other kinds.

use texts::Language;

use super::lexicon::{Lexicon, is_in};
use super::tokens::{Token, TokenKind};
use crate::{Fact, FactKind};

/// Words of a topic in English and in German.
type Words = (&'static str, &'static str);

const fn pick(words: Words, language: Language) -> &'static str {
    match language {
        Language::English => words.0,
        Language::German => words.1,
    }
}

const INCURSION: Words = ("incursion*", "annäherung*");
const ACKNOWLEDGED: Words = ("acknowledg*", "quittier*");
const DURATION: Words = ("last* average* duration*", "dauer* durchschnitt*");
const ZONE: Words = ("zone zones", "zone zonen warnzone* gefahrenzone*");
const DANGER: Words = ("danger", "gefahrenzone*");
const WARNING: Words = ("warning", "warnzone*");
const RUNTIME: Words = ("ran run runtime", "lief* betriebs*");
const INSTALLATION: Words = ("install*", "einbau* install*");
const PLACE: Words = ("place places spot hexagon location map", "stelle ort karte sechseck");
const CLOSE: Words = ("close met times near", "nahe trafen mal");
const TEST: Words = ("test*", "test* getestet* transpondertest*");
const SILENT: Words = ("silent contact", "stumm* kontakt* verbindung*");
const DATA: Words = ("data", "daten*");
const UNKNOWN: Words = ("unknown known", "unbekannt* bekannt*");

/// Returns the words of which a statement about this kind of fact has one.
fn topic(kind: FactKind) -> Words {
    match kind {
        FactKind::Incursions
        | FactKind::IncursionRate
        | FactKind::OutlierMachine
        | FactKind::OutlierPedestrian
        | FactKind::OutlierOperator
        | FactKind::TopMachine => INCURSION,
        FactKind::AcknowledgementRate => ACKNOWLEDGED,
        FactKind::AverageDuration => DURATION,
        FactKind::ZoneTime | FactKind::ZoneSizeChanged => ZONE,
        FactKind::DangerShare => DANGER,
        FactKind::RuntimeHours => RUNTIME,
        FactKind::Drift => INSTALLATION,
        FactKind::BusiestHours => ("hours", "stunden"),
        FactKind::BusiestPlace => PLACE,
        FactKind::RepeatedPair => CLOSE,
        FactKind::TestCompliance | FactKind::IncursionsWithoutTest => TEST,
        FactKind::SilentStations => SILENT,
        FactKind::DaysWithoutData => DATA,
        FactKind::UnknownPedestrians => UNKNOWN,
    }
}

/// Words that narrow a number down to certain kinds of facts: acknowledged incursions are not all incursions.
const NARROWING: [(Words, &[FactKind]); 12] = [
    (ACKNOWLEDGED, &[FactKind::AcknowledgementRate]),
    (DANGER, &[FactKind::DangerShare, FactKind::ZoneSizeChanged]),
    (WARNING, &[FactKind::ZoneSizeChanged]),
    (TEST, &[FactKind::TestCompliance, FactKind::IncursionsWithoutTest]),
    (UNKNOWN, &[FactKind::UnknownPedestrians]),
    (SILENT, &[FactKind::SilentStations]),
    (DURATION, &[FactKind::AverageDuration]),
    (("place spot hexagon location map", PLACE.1), &[FactKind::BusiestPlace]),
    (DATA, &[FactKind::DaysWithoutData]),
    (("position*", "position*"), &[FactKind::BusiestPlace]),
    (("spent", "verbracht*"), &[FactKind::ZoneTime]),
    // The weeks after the installation; other weeks are not those of the period.
    (("week*", "woche*"), &[FactKind::Drift]),
];

/// Returns whether one of the words is there.
fn has(tokens: &[Token<'_>], words: &str) -> bool {
    tokens.iter().any(|token| token.kind == TokenKind::Word && is_in(words, &token.word))
}

/// Returns whether a statement has the words of a fact.
pub(super) fn has_topic(tokens: &[Token<'_>], fact: &Fact, language: Language) -> bool {
    let has_clock = tokens.iter().any(|token| matches!(token.kind, TokenKind::Clock(_)));
    let says = |words: Words| has(tokens, pick(words, language));
    match fact.kind {
        // What lasts is an incursion, or the sentence names the duration itself.
        FactKind::AverageDuration => says(DURATION) && (says(INCURSION) || says(("duration", "dauer"))),
        FactKind::BusiestHours => has_clock || says(topic(fact.kind)),
        kind => says(topic(kind)),
    }
}

/// Returns whether a clause speaks of something else than a fact.
pub(super) fn is_narrowed_away(clause: &[Token<'_>], fact: &Fact, language: Language) -> bool {
    let clock = clause.iter().any(|token| matches!(token.kind, TokenKind::Clock(_)));
    let elsewhere = NARROWING
        .iter()
        .filter(|(_, kinds)| !kinds.contains(&fact.kind))
        .any(|(words, _)| has(clause, pick(*words, language)));
    let says = |words: Words| has(clause, pick(words, language));
    let is_swapped = match fact.kind {
        // The runtime of these hours is not that of these days.
        FactKind::BusiestHours => says(("day days week*", "tag tage tagen woche*")),
        FactKind::TestCompliance | FactKind::IncursionsWithoutTest => says(("machine*", "maschine*")),
        _ => false,
    };
    elsewhere || is_swapped || (clock && fact.hours.is_none())
}

/// Returns whether a recommendation follows from a fact: it has its words, or those of what can be done about it.
pub(super) fn recommends_for(tokens: &[Token<'_>], fact: &Fact, language: Language) -> bool {
    let names_subject = tokens
        .iter()
        .any(|token| matches!(token.kind, TokenKind::Subject(subject) if fact.subjects.contains(&subject)));
    let words: Words = match fact.kind {
        FactKind::Drift => ("briefing* training*", "einweisung* unterweisung* schulung*"),
        FactKind::SilentStations => ("station*", "basisstation*"),
        _ => ("", ""),
    };
    let measures: Words = ("measures", "maßnahmen");
    names_subject
        || has_topic(tokens, fact, language)
        || [words, measures].into_iter().any(|words| has(tokens, pick(words, language)))
}

/// Returns whether a statement has a word that negates, other than before a direction.
pub(super) fn is_negated(tokens: &[Token<'_>], lexicon: &Lexicon) -> bool {
    tokens.iter().enumerate().any(|(at, token)| {
        let is_directed = |next: &Token<'_>| {
            [lexicon.up, lexicon.down, lexicon.level].iter().any(|words| is_in(words, &next.word))
        };
        let is_flipping = tokens[at + 1..].iter().take(2).any(is_directed);
        token.kind == TokenKind::Word && is_in(lexicon.negations, &token.word) && !is_flipping
    })
}

/// Whether statements about a fact must be negated, must not be, or may be either way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Polarity {
    Negated,
    Plain,
    Either,
}

/// Returns the polarity of statements about a fact, by their words.
pub(super) fn polarity(fact: &Fact, tokens: &[Token<'_>], language: Language) -> Polarity {
    let says = |words: Words| has(tokens, pick(words, language));
    match fact.kind {
        FactKind::IncursionsWithoutTest | FactKind::DaysWithoutData => Polarity::Negated,
        FactKind::UnknownPedestrians if !says(("unknown", "unbekannt*")) => Polarity::Negated,
        FactKind::SilentStations if !says(("silent", "stumm*")) => Polarity::Negated,
        FactKind::Incursions | FactKind::RuntimeHours if fact.value == 0.0 => Polarity::Either,
        _ => Polarity::Plain,
    }
}
