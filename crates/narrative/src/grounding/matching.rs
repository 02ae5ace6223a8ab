//! Finds the facts that a number of a sentence comes from.

use super::contexts::{NumberUse, WrittenUnit};
use super::quantities::{Part, Quantity, quantities};
use super::tokens::{Token, TokenKind};
use super::{DropReason, Statement, meaning};
use crate::{Direction, Fact, FactKind, FactUnit, Subject};

/// Why a number is refused, and the number.
pub(super) type Refusal = (DropReason, String);

/// Returns the cited facts that a number comes from.
pub(super) fn facts_of<'a>(
    statement: &Statement<'a>,
    uses: &[NumberUse],
    used: &NumberUse,
) -> Result<Vec<&'a Fact>, Refusal> {
    let refuse = |reason| Err((reason, statement.tokens[used.at].text.to_owned()));
    let mut found: Vec<(&Fact, Quantity)> = statement
        .facts
        .iter()
        .flat_map(|fact| quantities(fact).into_iter().map(move |quantity| (*fact, quantity)))
        .filter(|(_, quantity)| quantity.equals(&used.number))
        .collect();
    let is_period = is_length_of_period(statement, used);
    if found.is_empty() && !is_period {
        // The length of the period in another unit.
        let is_of_period = used.number.value == statement.days as f64;
        return refuse(if is_of_period { DropReason::Unit } else { DropReason::Number });
    }
    found.retain(|(fact, quantity)| has_unit(quantity, used, uses) && has_whole(fact, quantity, used));
    if found.is_empty() && !is_period {
        return refuse(DropReason::Unit);
    }
    found.retain(|(_, quantity)| used.parts.contains(&quantity.part));
    if found.is_empty() {
        return if is_period { Ok(Vec::new()) } else { refuse(DropReason::Number) };
    }
    found.retain(|(fact, _)| fits_sign(fact, used.sign));
    if found.is_empty() {
        return refuse(DropReason::Direction);
    }
    found.retain(|(fact, _)| names_fit(statement, fact, used.at));
    if found.is_empty() {
        return refuse(DropReason::Name);
    }
    let clause = statement.clause(used.at);
    found.retain(|(fact, _)| {
        meaning::has_topic(statement.segment(used.at), fact, statement.language)
            && !meaning::is_narrowed_away(clause, fact, statement.language)
            && fits_polarity(statement, fact)
    });
    if found.is_empty() {
        return refuse(DropReason::Meaning);
    }
    let mut facts: Vec<&Fact> = found.into_iter().map(|(fact, _)| fact).collect();
    facts.dedup_by(|left, right| left.id == right.id);
    Ok(facts)
}

/// Returns whether a number is the length of the period, which every fact is about.
fn is_length_of_period(statement: &Statement<'_>, used: &NumberUse) -> bool {
    let is_days = used.unit == WrittenUnit::Unit(FactUnit::Days) && used.parts.contains(&Part::Denominator);
    is_days && used.number.value == statement.days as f64
}

/// Returns whether the unit next to a number is that of a quantity. What is compared, and the ends of a range, may do without if the
/// sentence has the unit elsewhere.
fn has_unit(quantity: &Quantity, used: &NumberUse, uses: &[NumberUse]) -> bool {
    match used.unit {
        WrittenUnit::Unit(FactUnit::Hours) => matches!(quantity.unit, FactUnit::Hours | FactUnit::Seconds),
        WrittenUnit::Unit(unit) => unit == quantity.unit,
        WrittenUnit::Count(thing) => quantity.counted == Some(thing),
        WrittenUnit::Other => false,
        WrittenUnit::None => {
            let is_repeated = uses.iter().any(|other| other.unit == WrittenUnit::Unit(quantity.unit));
            let is_second = matches!(quantity.part, Part::Comparison | Part::Low | Part::High);
            quantity.unit == FactUnit::Count || (is_second && is_repeated)
        }
    }
}

/// Returns whether a percentage is a part of what the fact counts.
fn has_whole(fact: &Fact, quantity: &Quantity, used: &NumberUse) -> bool {
    match used.whole {
        WrittenUnit::Count(thing) => quantity.part == Part::Change || thing == fact.kind.counted(),
        WrittenUnit::Other => false,
        WrittenUnit::Unit(_) | WrittenUnit::None => true,
    }
}

fn fits_sign(fact: &Fact, sign: Option<char>) -> bool {
    match sign {
        None => true,
        Some('+') => fact.direction() == Some(Direction::Up),
        Some(_) => fact.direction() == Some(Direction::Down),
    }
}

/// Returns whether those who are named at a number are those of the fact, and all of them are named in the sentence.
fn names_fit(statement: &Statement<'_>, fact: &Fact, at: usize) -> bool {
    let named = subjects_at(statement.segment_with_place(at));
    let are_of_fact = named.iter().all(|subject| fact.subjects.contains(subject));
    let is_named =
        |subject: &Subject| statement.tokens.iter().any(|token| token.kind == TokenKind::Subject(*subject));
    are_of_fact && (!needs_names(fact.kind) || fact.subjects.iter().all(is_named))
}

const fn needs_names(kind: FactKind) -> bool {
    matches!(
        kind,
        FactKind::OutlierMachine
            | FactKind::OutlierPedestrian
            | FactKind::OutlierOperator
            | FactKind::RepeatedPair
            | FactKind::TopMachine
            | FactKind::ZoneSizeChanged
    )
}

/// Returns the subjects that a number belongs to: the last ones before it, without a number between them, or else the next ones
/// after it.
fn subjects_at((tokens, at): (&[Token<'_>], usize)) -> Vec<Subject> {
    let mut found = Vec::new();
    for token in tokens[..at].iter().rev() {
        match token.kind {
            TokenKind::Subject(subject) => found.push(subject),
            _ if token.is_number() && !found.is_empty() => break,
            _ => {}
        }
    }
    if found.is_empty() {
        let following = tokens[at + 1..].iter().take_while(|token| !token.is_number());
        found.extend(following.filter_map(|token| match token.kind {
            TokenKind::Subject(subject) => Some(subject),
            _ => None,
        }));
    }
    found
}

/// Returns whether a sentence says that something is so, or that it is not so, as the fact does.
fn fits_polarity(statement: &Statement<'_>, fact: &Fact) -> bool {
    let wanted = meaning::polarity(fact, &statement.tokens, statement.language);
    let is_negated = meaning::is_negated(&statement.tokens, statement.lexicon);
    wanted != meaning::Polarity::Negated || is_negated
}

/// Returns a clause that negates something which no cited fact negates.
pub(super) fn wrong_negation(statement: &Statement<'_>) -> Option<String> {
    let accepts = |clause: &[Token<'_>], fact: &Fact| {
        meaning::has_topic(clause, fact, statement.language)
            && meaning::polarity(fact, clause, statement.language) != meaning::Polarity::Plain
    };
    let wrong = statement.clauses().find(|clause| {
        meaning::is_negated(clause, statement.lexicon)
            && !statement.facts.iter().any(|fact| accepts(clause, fact))
    })?;
    Some(wrong.iter().map(|token| token.text).collect::<Vec<_>>().join(" "))
}
