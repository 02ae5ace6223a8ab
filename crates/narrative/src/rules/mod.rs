//! The rules writer: picks the facts that matter, orders them by consequence, says what they say and recommends what they support.

mod limitations;
mod recommendations;
mod statements;

use texts::Language;

use crate::{
    Certainty, ComparedWith, Direction, Fact, FactKind, FactSheet, Sentence, SentenceRole, SubjectKind,
};
pub(crate) use limitations::is_too_few;
pub(crate) use recommendations::advice_about;
pub(crate) use statements::certainty;
pub use statements::describe_fact;

/// How many sentences of a role a report has at most.
pub(crate) const fn max_sentences(role: SentenceRole) -> usize {
    match role {
        SentenceRole::Finding | SentenceRole::Limitation => 5,
        SentenceRole::Recommendation => 3,
    }
}

const MAX_FINDINGS: usize = max_sentences(SentenceRole::Finding);
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
    let mut ranked: Vec<(f64, &Fact)> =
        sheet.facts.iter().map(|fact| (consequence(sheet, fact), fact)).collect();
    // The sort is stable, so facts of equal consequence stay in the order of the sheet.
    ranked.sort_by(|(left, _), (right, _)| right.total_cmp(left));
    // Whether an hour of work became more dangerous is always reported if it is clear.
    let rate = sheet.of_kind(FactKind::IncursionRate);
    let rate = rate.filter(|rate| is_clear_change(rate) && !is_reported(&[], rate));
    let mut chosen: Vec<&Fact> = rate.into_iter().collect();
    for &(consequence, fact) in &ranked {
        if consequence >= MIN_CONSEQUENCE && chosen.len() < MAX_FINDINGS && !is_reported(&chosen, fact) {
            chosen.push(fact);
        }
    }
    // The totals belong into every report, even if nothing about them is remarkable.
    let open = |kind| sheet.of_kind(kind).filter(|fact| !is_reported(&chosen, fact));
    let totals = open(FactKind::IncursionRate).or_else(|| open(FactKind::Incursions));
    if let Some(totals) = totals.filter(|_| !chosen.iter().any(|fact| is_total(fact.kind))) {
        chosen.truncate(MAX_FINDINGS - 1);
        chosen.push(totals);
    }
    chosen.sort_by_key(|fact| ranked.iter().position(|(_, other)| other.id == fact.id));
    chosen
}

const fn is_total(kind: FactKind) -> bool {
    matches!(kind, FactKind::Incursions | FactKind::IncursionRate)
}

/// Whether a fact is about the number or the rate of all incursions.
const fn is_about_all(kind: FactKind) -> bool {
    is_total(kind) || matches!(kind, FactKind::Drift)
}

/// Whether a fact is a difference that chance hardly explains.
fn is_clear_change(fact: &Fact) -> bool {
    fact.certainty == Certainty::High && matches!(fact.direction(), Some(Direction::Up | Direction::Down))
}

/// Returns whether a fact adds nothing to those that are chosen.
fn is_reported(chosen: &[&Fact], fact: &Fact) -> bool {
    // A rate of zero says less than that there were no incursions.
    if fact.kind == FactKind::IncursionRate && fact.value == 0.0 {
        return true;
    }
    let is_about_tests =
        |kind: FactKind| matches!(kind, FactKind::TestCompliance | FactKind::IncursionsWithoutTest);
    let machine = fact.subject(SubjectKind::Machine);
    let same_kind = chosen.iter().filter(|other| other.kind == fact.kind).count();
    let about_all = chosen.iter().filter(|other| is_about_all(other.kind)).count();
    same_kind >= 2
        || (is_about_all(fact.kind) && about_all >= 2)
        || chosen.iter().any(|other| {
            let are_clear = is_clear_change(other) && is_clear_change(fact);
            other.id == fact.id
                // If both changed clearly, the number and the rate may have changed in different directions.
                || (is_total(other.kind) && is_total(fact.kind) && !are_clear)
                // The drift reports the rate, too.
                || (other.kind == FactKind::Drift && fact.kind == FactKind::IncursionRate)
                || (is_about_tests(other.kind) && is_about_tests(fact.kind))
                || (fact.kind == FactKind::TopMachine
                    && other.kind == FactKind::OutlierMachine
                    && other.subject(SubjectKind::Machine) == machine)
        })
}

/// Returns how much a fact matters: the weight of its kind, its size from 0 to 1, and how sure it is.
fn consequence(sheet: &FactSheet, fact: &Fact) -> f64 {
    let certainty = match fact.certainty {
        Certainty::High => 1.0,
        Certainty::Moderate => 0.6,
        Certainty::Low => 0.25,
    };
    weight(fact) * size(sheet, fact).clamp(0.0, 1.0) * certainty
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
        // They limit what the others say, and are reported there.
        FactKind::DaysWithoutData
        | FactKind::UnknownPedestrians
        | FactKind::ZoneSizeChanged
        | FactKind::RuntimeHours => 0.0,
    }
}

/// Returns how large a fact is, from 0 to 1 or more.
fn size(sheet: &FactSheet, fact: &Fact) -> f64 {
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
        // A third of the incursions is as much as it gets.
        FactKind::RepeatedPair => {
            let all = sheet.of_kind(FactKind::Incursions).map_or(fact.value, |all| all.value);
            3.0 * fact.value / all.max(1.0)
        }
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
