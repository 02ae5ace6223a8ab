//! Compares words of direction and of certainty with the facts that they belong to.

use super::lexicon::is_in;
use super::tokens::{Token, TokenKind};
use super::{DropReason, Statement};
use crate::{Certainty, Direction, Fact};

/// The facts of each number, by the place of the number among the tokens.
pub(super) type FactsAt<'a> = Vec<(usize, Vec<&'a Fact>)>;

/// Returns the first word that claims another direction, or more certainty, than its facts have.
pub(super) fn wrong_word(statement: &Statement<'_>, numbers: &FactsAt<'_>) -> Option<(DropReason, String)> {
    statement.tokens.iter().enumerate().find_map(|(at, token)| {
        if token.kind != TokenKind::Word {
            return None;
        }
        let wrong = |reason| Some((reason, token.text.to_owned()));
        if let Some(claimed) = claimed_directions(statement, at) {
            let facts = bound_facts(statement, numbers, at);
            let compared: Vec<Direction> = facts.iter().filter_map(|fact| fact.direction()).collect();
            let is_right =
                !compared.is_empty() && compared.iter().all(|direction| claimed.contains(direction));
            return if is_right { None } else { wrong(DropReason::Direction) };
        }
        let lexicon = statement.lexicon;
        let needed = if is_in(lexicon.clear, &token.word) {
            Certainty::High
        } else if is_in(lexicon.probable, &token.word) {
            Certainty::Moderate
        } else {
            return None;
        };
        let facts = bound_facts(statement, numbers, at);
        let is_right = facts.iter().all(|fact| fact.certainty >= needed);
        if is_right { None } else { wrong(DropReason::Certainty) }
    })
}

/// Returns the directions that a word claims; none if it is no word of direction.
fn claimed_directions(statement: &Statement<'_>, at: usize) -> Option<Vec<Direction>> {
    let (lexicon, tokens) = (statement.lexicon, &statement.tokens);
    let word = tokens[at].word.as_str();
    let direction = if is_in(lexicon.up, word) {
        Direction::Up
    } else if is_in(lexicon.down, word) {
        Direction::Down
    } else if is_in(lexicon.level, word) {
        let names_thing = |next: &Token<'_>| is_in(lexicon.same_things, &next.word);
        if tokens.get(at + 1).is_some_and(names_thing) {
            return None;
        }
        Direction::Level
    } else {
        return None;
    };
    let is_flipped = tokens[..at].iter().rev().take(2).any(|token| is_in(lexicon.negations, &token.word));
    let all = Direction::ALL.into_iter();
    Some(all.filter(|other| (*other == direction) != is_flipped).collect())
}

/// Returns the facts that a word speaks about: those of the nearest number before it in its statement, or of the next one after it;
/// without numbers, those of the statement before; otherwise all.
fn bound_facts<'a>(statement: &Statement<'a>, numbers: &FactsAt<'a>, at: usize) -> Vec<&'a Fact> {
    let (start, end) = statement.part_bounds(at);
    let inside = |place: &usize| (start..end).contains(place);
    // The length of the period is a number without facts.
    let with_facts = || numbers.iter().filter(|(_, facts)| !facts.is_empty());
    let before = with_facts().rfind(|(place, _)| inside(place) && *place < at);
    let after = || with_facts().find(|(place, _)| inside(place) && *place > at);
    let earlier = || with_facts().rfind(|(place, _)| *place < start);
    match before.or_else(after).or_else(earlier) {
        Some((_, facts)) => facts.clone(),
        None => statement.facts.clone(),
    }
}
