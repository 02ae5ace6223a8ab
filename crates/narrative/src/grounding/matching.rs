//! Reads a sentence by the phrases of the facts that it cites.

use std::cell::Cell;
use std::collections::BTreeSet;

use texts::Language;

use super::DropReason;
use super::grammar::{MAX_DEPTH, Piece};
use super::phrasing::Phrasing;
use super::tokens::{Token, TokenKind};
use super::values::is_number_word;
use crate::SentenceRole;

/// Places in a sentence, as numbers of tokens.
type Places = BTreeSet<usize>;

/// A sentence that is being read.
pub(super) struct Reader<'a> {
    tokens: &'a [Token<'a>],
    language: Language,
    /// The last token that a phrase was compared with: what comes before it can be said.
    furthest: Cell<usize>,
}

impl<'a> Reader<'a> {
    pub fn new(tokens: &'a [Token<'a>], language: Language) -> Self {
        Self { tokens, language, furthest: Cell::new(0) }
    }

    /// Returns which of the facts the sentence tells, or where it says something else.
    pub fn read(
        &self,
        role: SentenceRole,
        phrasings: &[Phrasing<'_>],
    ) -> Result<Vec<usize>, (DropReason, String)> {
        let reported = match role {
            SentenceRole::Finding | SentenceRole::Limitation => {
                self.clauses(role.as_str(), phrasings, 0, &mut Vec::new())
            }
            // A recommendation rests on each of its facts, and on all in the same words.
            SentenceRole::Recommendation => {
                let is_reported = |phrasing: &Phrasing<'_>| {
                    self.section(phrasing, role.as_str(), 0, 0).contains(&self.tokens.len())
                };
                let reported: Vec<usize> =
                    (0..phrasings.len()).filter(|place| is_reported(&phrasings[*place])).collect();
                (!reported.is_empty()).then_some(reported)
            }
        };
        reported.ok_or_else(|| self.reason())
    }

    /// Reads clauses from a place on, each by the phrases of one fact that has not been reported, until the end.
    fn clauses(
        &self,
        section: &str,
        phrasings: &[Phrasing<'_>],
        at: usize,
        reported: &mut Vec<usize>,
    ) -> Option<Vec<usize>> {
        for (place, phrasing) in phrasings.iter().enumerate() {
            if reported.contains(&place) {
                continue;
            }
            reported.push(place);
            for end in self.section(phrasing, section, at, 0) {
                if end == self.tokens.len() {
                    return Some(reported.clone());
                }
                let next = self.joined(end).and_then(|next| self.clauses(section, phrasings, next, reported));
                if next.is_some() {
                    return next;
                }
            }
            reported.pop();
        }
        None
    }

    /// Returns where the next clause begins. Without a comma, "and" could join names.
    fn joined(&self, at: usize) -> Option<usize> {
        let is_and = |at: usize| {
            let and = if self.language == Language::English { "and" } else { "und" };
            self.tokens
                .get(at)
                .is_some_and(|token| matches!(&token.kind, TokenKind::Word(word) if word == and))
        };
        let token = self.tokens.get(at)?;
        self.reach(at);
        match token.kind == TokenKind::Mark(';') {
            true if is_and(at + 1) => Some(at + 2),
            true => Some(at + 1),
            false => (is_and(at) && token.follows_comma).then_some(at + 1),
        }
    }

    /// Returns where the phrases of a section end that begin at a place.
    fn section(&self, phrasing: &Phrasing<'_>, name: &str, at: usize, depth: usize) -> Places {
        let Some(lines) = phrasing.lines(name).filter(|_| depth < MAX_DEPTH) else {
            return self.value(phrasing, name, at);
        };
        let ends =
            lines.flat_map(|line| self.sequence(phrasing, &line.phrase, Places::from([at]), depth + 1));
        ends.collect()
    }

    fn sequence(&self, phrasing: &Phrasing<'_>, phrase: &[Piece], from: Places, depth: usize) -> Places {
        let mut places = from;
        for piece in phrase {
            if places.is_empty() {
                break;
            }
            places = places.iter().flat_map(|at| self.piece(phrasing, piece, *at, depth)).collect();
        }
        places
    }

    fn piece(&self, phrasing: &Phrasing<'_>, piece: &Piece, at: usize, depth: usize) -> Places {
        match piece {
            Piece::Token(kind, _) => self.tokens_at(std::slice::from_ref(kind), at).into_iter().collect(),
            Piece::Comma => Places::from([at]),
            Piece::Named(name) => self.section(phrasing, name, at, depth),
            Piece::OneOf(choices) => {
                let ends = choices
                    .iter()
                    .flat_map(|choice| self.sequence(phrasing, choice, Places::from([at]), depth));
                ends.collect()
            }
            Piece::Optional(phrase) => {
                let mut ends = self.sequence(phrasing, phrase, Places::from([at]), depth);
                ends.insert(at);
                ends
            }
        }
    }

    fn value(&self, phrasing: &Phrasing<'_>, name: &str, at: usize) -> Places {
        let values = phrasing.values.get(name).into_iter().flatten();
        values.filter_map(|value| self.tokens_at(&value.tokens, at)).collect()
    }

    /// Returns where these tokens end if they stand at a place. A value without tokens stands nowhere.
    fn tokens_at(&self, expected: &[TokenKind], at: usize) -> Option<usize> {
        for (place, kind) in expected.iter().enumerate() {
            self.reach(at + place);
            if self.tokens.get(at + place).is_none_or(|token| token.kind != *kind) {
                return None;
            }
        }
        (!expected.is_empty()).then_some(at + expected.len())
    }

    fn reach(&self, at: usize) {
        self.furthest.set(self.furthest.get().max(at));
    }

    /// Says where the sentence leaves the phrases, by what stands there.
    fn reason(&self) -> (DropReason, String) {
        let Some(token) = self.tokens.get(self.furthest.get()) else {
            return (DropReason::Unfinished, String::new());
        };
        let reason = match &token.kind {
            TokenKind::Number(_) => DropReason::Number,
            TokenKind::Word(word) if is_number_word(word, self.language) => DropReason::Number,
            TokenKind::Subject(_) => DropReason::Name,
            TokenKind::Word(_) | TokenKind::Mark(_) => DropReason::Words,
        };
        (reason, token.text.to_owned())
    }
}
