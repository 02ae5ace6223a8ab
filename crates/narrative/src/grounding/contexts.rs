//! What the numbers of a sentence claim to be: their units, and what they stand for, by the words around them.

use super::lexicon::{Lexicon, is_in};
use super::numerals::Numeral;
use super::quantities::Part;
use super::tokens::{Token, TokenKind};
use crate::FactUnit;
use crate::sheet::CountedThing;

/// A unit as it is written next to a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WrittenUnit {
    Unit(FactUnit),
    Count(CountedThing),
    /// A count of something that no fact counts.
    Other,
    /// Nothing is written.
    None,
}

/// A number of a sentence with what it claims to be.
#[derive(Clone, Debug)]
pub(super) struct NumberUse {
    /// Its place among the tokens.
    pub at: usize,
    pub number: Numeral,
    pub unit: WrittenUnit,
    /// Of a percentage: what it is a part of, if that is a thing that is counted.
    pub whole: WrittenUnit,
    /// What it may stand for.
    pub parts: Vec<Part>,
    /// A sign before it.
    pub sign: Option<char>,
    /// The confidence of an interval, which is no fact.
    pub is_confidence: bool,
}

/// Finds the numbers of a sentence.
pub(super) fn number_uses(tokens: &[Token<'_>], lexicon: &Lexicon) -> Vec<NumberUse> {
    let context = Context { tokens, lexicon };
    let numbers: Vec<(usize, Numeral)> = tokens
        .iter()
        .enumerate()
        .filter_map(|(at, token)| match token.kind {
            TokenKind::Number(number) => Some((at, number)),
            _ => None,
        })
        .collect();
    let mut uses: Vec<NumberUse> = Vec::new();
    for (at, number) in &numbers {
        let unit = context.unit(*at, number);
        uses.push(NumberUse {
            at: *at,
            number: Numeral { unit: number.unit.or(as_unit(unit)), ..*number },
            unit,
            whole: context.whole(*at, unit),
            parts: context.parts(*at, unit),
            sign: context.sign(*at),
            is_confidence: context.is_confidence(*at, number, unit),
        });
    }
    for first in 0..uses.len().saturating_sub(1) {
        let second = first + 1;
        let Some(kind) = context.pair(uses[first].at, uses[second].at) else { continue };
        let parts = match kind {
            Pair::Range => Some((Part::Low, Part::High)),
            Pair::Change => Some((Part::Comparison, Part::Value)),
            Pair::Fraction => None,
        };
        if let Some((one, other)) = parts {
            (uses[first].parts, uses[second].parts) = (vec![one], vec![other]);
        }
        if uses[first].unit == WrittenUnit::None {
            uses[first].unit = uses[second].unit;
            uses[first].number.unit = uses[second].number.unit;
        }
    }
    uses
}

const fn as_unit(unit: WrittenUnit) -> Option<FactUnit> {
    match unit {
        WrittenUnit::Unit(unit) => Some(unit),
        WrittenUnit::Count(_) | WrittenUnit::Other | WrittenUnit::None => None,
    }
}

/// Two numbers that belong together.
enum Pair {
    /// `20 to 35`.
    Range,
    /// `from 20 to 35`.
    Change,
    /// `20 of 35`.
    Fraction,
}

struct Context<'a> {
    tokens: &'a [Token<'a>],
    lexicon: &'a Lexicon,
}

impl Context<'_> {
    /// Returns the tokens between a number and the one before it, or the beginning of the statement.
    fn before(&self, at: usize) -> &[Token<'_>] {
        let ends = |token: &Token<'_>| token.is_number() || token.is_mark(&[';']);
        let start = self.tokens[..at].iter().rposition(ends).map_or(0, |place| place + 1);
        &self.tokens[start..at]
    }

    /// Returns the words that follow a number closely: up to a mark, a number, or a word that begins something else.
    fn tail(&self, at: usize) -> &[Token<'_>] {
        let rest = &self.tokens[at + 1..];
        let skipped =
            rest.iter().take_while(|token| token.kind == TokenKind::Percent || token.is_mark(&['-'])).count();
        let rest = &rest[skipped..];
        let ends = |token: &Token<'_>| {
            token.is_number()
                || matches!(token.kind, TokenKind::Mark(_))
                || is_in(self.lexicon.comparing_next, &token.word)
                || is_in(self.lexicon.turning, &token.word)
        };
        let end = rest.iter().position(ends).unwrap_or(rest.len());
        &rest[..end]
    }

    /// Returns the word directly before a number, apart from articles and the like.
    fn preposition(&self, at: usize) -> Option<&str> {
        let before = self.before(at).iter().rev().skip_while(|token| token.is_mark(&['+', '−', '-']));
        let word = before.map(|token| (token.kind == TokenKind::Word).then_some(token.word.as_str()));
        word.take_while(Option::is_some).flatten().find(|word| !is_in(self.lexicon.fillers, word))
    }

    fn sign(&self, at: usize) -> Option<char> {
        let before = at.checked_sub(1).map(|place| &self.tokens[place])?;
        match before.kind {
            TokenKind::Mark(mark @ ('+' | '−')) => Some(mark),
            // A hyphen is a minus if it touches the number and nothing before it.
            TokenKind::Mark('-') if before.end() == self.tokens[at].start => {
                let touches = at >= 2 && self.tokens[at - 2].end() == before.start;
                (!touches).then_some('−')
            }
            _ => None,
        }
    }

    fn unit(&self, at: usize, number: &Numeral) -> WrittenUnit {
        if let Some(unit) = number.unit {
            return WrittenUnit::Unit(unit);
        }
        if self.tokens.get(at + 1).is_some_and(|next| next.kind == TokenKind::Percent) {
            return WrittenUnit::Unit(FactUnit::Percent);
        }
        let (tail, units) = (self.tail(at), &self.lexicon.units);
        let hour = |token: &Token<'_>| is_in(units.hours, &token.word);
        let per = tail.iter().position(|token| is_in(self.lexicon.per, &token.word));
        if per.is_some_and(|place| tail[place + 1..].iter().take(2).any(hour)) {
            return WrittenUnit::Unit(FactUnit::PerHour);
        }
        let stops = |token: &&Token<'_>| {
            !is_in(self.lexicon.of, &token.word)
                && !is_in(self.lexicon.within, &token.word)
                && !is_in(self.lexicon.to, &token.word)
                && !matches!(token.kind, TokenKind::Subject(_))
        };
        for (place, token) in tail.iter().take_while(stops).take(4).enumerate() {
            let word = token.word.as_str();
            let next = tail.get(place + 1).map_or("", |next| next.word.as_str());
            let found = if is_in(units.percent, word) {
                Some(WrittenUnit::Unit(FactUnit::Percent))
            } else if is_in(units.times, word) && is_in(units.as_many, next) {
                Some(WrittenUnit::Unit(FactUnit::Times))
            } else if is_in(units.hours, word) || (word == "runtime" && is_in(units.hours, next)) {
                Some(WrittenUnit::Unit(FactUnit::Hours))
            } else if is_in(units.days, word) {
                Some(WrittenUnit::Unit(FactUnit::Days))
            } else if is_in(units.metres, word) {
                Some(WrittenUnit::Unit(FactUnit::Metres))
            } else {
                self.counted(word)
            };
            if let Some(found) = found {
                return found;
            }
        }
        WrittenUnit::None
    }

    /// Returns what a noun counts.
    fn counted(&self, word: &str) -> Option<WrittenUnit> {
        let units = &self.lexicon.units;
        let counted = [
            (units.incursions, WrittenUnit::Count(CountedThing::Incursions)),
            (units.stations, WrittenUnit::Count(CountedThing::Stations)),
            (units.tags, WrittenUnit::Count(CountedThing::Tags)),
            (units.others, WrittenUnit::Other),
        ];
        counted.into_iter().find(|(words, _)| is_in(words, word)).map(|(_, thing)| thing)
    }

    /// Returns what a percentage is a part of: the noun in "62 % of the incursions".
    fn whole(&self, at: usize, unit: WrittenUnit) -> WrittenUnit {
        if unit != WrittenUnit::Unit(FactUnit::Percent) {
            return WrittenUnit::None;
        }
        let mut tail =
            self.tail(at).iter().skip_while(|token| is_in(self.lexicon.units.percent, &token.word));
        let is_part = tail.next().is_some_and(|token| is_in(self.lexicon.part_of, &token.word));
        let nouns = tail.take(3).map_while(|token| (token.kind == TokenKind::Word).then_some(&token.word));
        let noun = nouns.filter(|_| is_part).find_map(|word| self.counted(word));
        noun.unwrap_or(WrittenUnit::None)
    }

    /// Returns what a number may stand for.
    fn parts(&self, at: usize, unit: WrittenUnit) -> Vec<Part> {
        let lexicon = self.lexicon;
        let preposition = self.preposition(at).unwrap_or_default();
        let tail = self.tail(at);
        let is_directed =
            |token: &Token<'_>| is_in(lexicon.up, &token.word) || is_in(lexicon.down, &token.word);
        let is_comparing = |token: &Token<'_>| is_in(lexicon.comparing, &token.word);
        if unit == WrittenUnit::Unit(FactUnit::Times) {
            return vec![Part::Ratio];
        }
        if is_in(lexicon.by, preposition) {
            return vec![Part::Change];
        }
        if is_in(lexicon.to, preposition) {
            return vec![Part::Value];
        }
        let before = self.before(at);
        let cue = before.iter().rposition(is_comparing);
        // A comma after the cue ends what it compares.
        if cue.is_some_and(|place| !before[place..].iter().any(|token| token.is_mark(&[',']))) {
            return vec![Part::Comparison];
        }
        if tail.iter().take(3).any(is_directed) {
            return vec![Part::Change];
        }
        if tail.iter().any(is_comparing) {
            return vec![Part::Comparison];
        }
        if is_in(lexicon.of, preposition) {
            let is_percent = unit == WrittenUnit::Unit(FactUnit::Percent);
            let is_change = is_percent && before.iter().rev().take(4).any(is_directed);
            return vec![if is_change { Part::Change } else { Part::Denominator }];
        }
        if is_in(lexicon.within, preposition) {
            return vec![Part::Denominator, Part::Value, Part::Numerator];
        }
        vec![Part::Value, Part::Numerator]
    }

    /// Returns whether a number is the 95 % of an interval.
    fn is_confidence(&self, at: usize, number: &Numeral, unit: WrittenUnit) -> bool {
        let names_it = |token: &Token<'_>| is_in(self.lexicon.confidence, &token.word);
        let near = self.tail(at).iter().take(2);
        number.value == 95.0 && unit == WrittenUnit::Unit(FactUnit::Percent) && near.into_iter().any(names_it)
    }

    /// Returns how two neighbouring numbers belong together, if they do.
    fn pair(&self, first: usize, second: usize) -> Option<Pair> {
        let lexicon = self.lexicon;
        let between: Vec<&Token<'_>> = self.tokens[first + 1..second]
            .iter()
            .filter(|token| token.kind != TokenKind::Percent && !is_in(lexicon.units.metres, &token.word))
            .collect();
        if let [of, fillers @ ..] = &between[..]
            && is_in(lexicon.of, &of.word)
            && fillers.iter().all(|token| is_in(lexicon.fillers, &token.word))
            && !is_in(lexicon.from, self.preposition(first).unwrap_or_default())
        {
            return Some(Pair::Fraction);
        }
        let [connector] = between[..] else { return None };
        let preposition = self.preposition(first).unwrap_or_default();
        let is_range = |token: &Token<'_>| is_in(lexicon.ranges, &token.word);
        let names_range = self.before(first).iter().any(is_range) || self.tail(second).iter().any(is_range);
        let joins = |words: &str| connector.kind == TokenKind::Word && is_in(words, &connector.word);
        let is_dash = connector.is_mark(&['-', '–']);
        if is_in(lexicon.from, preposition) && joins(lexicon.to) && !names_range {
            return Some(Pair::Change);
        }
        let is_between = is_in(lexicon.between, preposition) && joins(lexicon.and);
        (is_between || is_dash || joins(lexicon.until)).then_some(Pair::Range)
    }
}
