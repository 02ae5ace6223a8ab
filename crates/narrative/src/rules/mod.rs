//! The rules writer: picks the facts that matter, orders them by consequence, says what they say and recommends what they support.

mod limitations;
mod recommendations;
mod statements;

use texts::Language;

use crate::{
    Certainty, ComparedWith, Direction, Fact, FactKind, FactSheet, Sentence, SentenceRole, SubjectKind,
};
pub use statements::describe_fact;

/// How many findings a report has at most.
const MAX_FINDINGS: usize = 5;
/// A fact with less consequence is not worth a sentence.
const MIN_CONSEQUENCE: f64 = 0.05;

/// Writes a report from facts alone: the five that matter, in order of consequence, then what to do and what is missing.
pub fn write_by_rules(sheet: &FactSheet, language: Language) -> Vec<Sentence> {
    let chosen = choose(sheet);
    let finding = |fact: &&Fact| Sentence {
        role: SentenceRole::Finding,
        text: describe_fact(sheet, fact, language),
        facts: vec![fact.id.clone()],
    };
    let mut sentences: Vec<Sentence> = chosen.iter().map(finding).collect();
    sentences.extend(recommendations::recommend(&chosen, language));
    sentences.extend(limitations::limits(sheet, language));
    sentences
}

/// Picks the facts that matter, the one with the greatest consequence first.
fn choose(sheet: &FactSheet) -> Vec<&Fact> {
    let mut ranked: Vec<(f64, &Fact)> = sheet.facts.iter().map(|fact| (consequence(fact), fact)).collect();
    // The sort is stable, so facts of equal consequence stay in the order of the sheet.
    ranked.sort_by(|(left, _), (right, _)| right.total_cmp(left));
    let mut chosen: Vec<&Fact> = Vec::new();
    for (consequence, fact) in ranked {
        if consequence >= MIN_CONSEQUENCE && chosen.len() < MAX_FINDINGS && !is_told(&chosen, fact) {
            chosen.push(fact);
        }
    }
    // The totals belong into every report, even if nothing about them is remarkable.
    let open = |kind| sheet.of_kind(kind).filter(|fact| !is_told(&chosen, fact));
    let totals = open(FactKind::IncursionRate).or_else(|| open(FactKind::Incursions));
    if let Some(totals) = totals.filter(|_| !chosen.iter().any(|fact| is_total(fact.kind))) {
        chosen.truncate(MAX_FINDINGS - 1);
        chosen.push(totals);
    }
    chosen
}

const fn is_total(kind: FactKind) -> bool {
    matches!(kind, FactKind::Incursions | FactKind::IncursionRate)
}

/// Returns whether a fact adds nothing to those that are chosen.
fn is_told(chosen: &[&Fact], fact: &Fact) -> bool {
    // A rate of zero says less than that there were no incursions.
    if fact.kind == FactKind::IncursionRate && fact.value == 0.0 {
        return true;
    }
    let is_about_tests =
        |kind: FactKind| matches!(kind, FactKind::TestCompliance | FactKind::IncursionsWithoutTest);
    let machine = fact.subject(SubjectKind::Machine);
    let same_kind = chosen.iter().filter(|other| other.kind == fact.kind).count();
    same_kind >= 2
        || chosen.iter().any(|other| {
            other.id == fact.id
                || (is_total(other.kind) && is_total(fact.kind))
                // The drift tells the rate, too.
                || (other.kind == FactKind::Drift && fact.kind == FactKind::IncursionRate)
                || (is_about_tests(other.kind) && is_about_tests(fact.kind))
                || (fact.kind == FactKind::TopMachine
                    && other.kind == FactKind::OutlierMachine
                    && other.subject(SubjectKind::Machine) == machine)
        })
}

/// Returns how much a fact matters: the weight of its kind, its size from 0 to 1, and how sure it is.
fn consequence(fact: &Fact) -> f64 {
    let certainty = match fact.certainty {
        Certainty::High => 1.0,
        Certainty::Moderate => 0.6,
        Certainty::Low => 0.25,
    };
    weight(fact) * size(fact).clamp(0.0, 1.0) * certainty
}

/// Returns the weight of a kind of fact. What got worse weighs more than what got better.
fn weight(fact: &Fact) -> f64 {
    let direction = fact.direction();
    let worse = |when: Direction| if direction == Some(when) { 1.0 } else { 0.6 };
    match fact.kind {
        FactKind::IncursionRate | FactKind::Drift => worse(Direction::Up),
        FactKind::Incursions => 0.8 * worse(Direction::Up),
        FactKind::AcknowledgementRate => 0.9,
        FactKind::OutlierPedestrian => worse(Direction::Up),
        FactKind::OutlierMachine | FactKind::OutlierOperator => 0.95 * worse(Direction::Up),
        FactKind::DangerShare | FactKind::IncursionsWithoutTest | FactKind::SilentStations => 0.85,
        FactKind::RepeatedPair => 0.8,
        FactKind::BusiestHours | FactKind::BusiestPlace | FactKind::TestCompliance => 0.7,
        FactKind::TopMachine => 0.6,
        FactKind::AverageDuration => 0.4,
        FactKind::ZoneTime => 0.3,
        // They limit what the others say, and are told there.
        FactKind::DaysWithoutData
        | FactKind::UnknownPedestrians
        | FactKind::ZoneSizeChanged
        | FactKind::RuntimeHours => 0.0,
    }
}

/// Returns how large a fact is, from 0 to 1 or more.
fn size(fact: &Fact) -> f64 {
    let share = fact.value / 100.0;
    match fact.kind {
        FactKind::AcknowledgementRate | FactKind::TestCompliance => 1.0 - share,
        FactKind::DangerShare | FactKind::BusiestPlace | FactKind::IncursionsWithoutTest => share,
        FactKind::SilentStations => match fact.denominator {
            Some(all) if fact.value > 0.0 => 0.3 + fact.value / all.max(1.0),
            _ => 0.0,
        },
        FactKind::BusiestHours | FactKind::TopMachine => match fact.comparison {
            Some(compared) if compared.with == ComparedWith::Runtime => {
                2.0 * (fact.value - compared.value) / 100.0
            }
            _ => share / 2.0,
        },
        // Ten meetings are as much as it gets.
        FactKind::RepeatedPair => fact.value / 10.0,
        _ => match fact.comparison {
            // A doubling or a halving has the size 1.
            Some(compared) if compared.value > 0.0 && fact.value > 0.0 => {
                (fact.value / compared.value).log2().abs()
            }
            Some(compared) if (compared.value > 0.0) != (fact.value > 0.0) => 1.0,
            _ => 0.0,
        },
    }
}
