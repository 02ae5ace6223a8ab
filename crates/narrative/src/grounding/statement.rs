//! A sentence that is being checked, with the facts that it cites.

use texts::Language;

use super::lexicon::{Lexicon, is_in};
use super::tokens::{Token, TokenKind};
use crate::Fact;

/// A sentence with the facts that it cites.
pub(super) struct Statement<'a> {
    pub tokens: Vec<Token<'a>>,
    pub facts: Vec<&'a Fact>,
    pub language: Language,
    pub lexicon: &'static Lexicon,
    /// Number of days in the period.
    pub days: i64,
}

impl<'a> Statement<'a> {
    /// Returns the part between semicolons that a token is in.
    pub fn segment(&self, at: usize) -> &[Token<'a>] {
        self.segment_with_place(at).0
    }

    /// The same, and the place of the token in it.
    pub fn segment_with_place(&self, at: usize) -> (&[Token<'a>], usize) {
        let (start, end) = self.bounds(at, |place| self.tokens[place].is_mark(&[';']));
        (&self.tokens[start..end], at - start)
    }

    /// Returns the bounds of the part between semicolons and words such as "while" that a token is in.
    pub fn part_bounds(&self, at: usize) -> (usize, usize) {
        self.bounds(at, |place| self.tokens[place].is_mark(&[';']) || self.is_turn(place))
    }

    /// Returns the clause that a token is in: the part between marks and words that begin another statement.
    pub fn clause(&self, at: usize) -> &[Token<'a>] {
        let (start, end) = self.bounds(at, |place| self.ends_clause(place));
        &self.tokens[start..end]
    }

    pub fn clauses(&self) -> impl Iterator<Item = &[Token<'a>]> {
        let mut start = 0;
        let mut found = Vec::new();
        for place in 0..self.tokens.len() {
            if self.ends_clause(place) {
                found.push(&self.tokens[start..place]);
                start = place + 1;
            }
        }
        found.push(&self.tokens[start..]);
        found.into_iter()
    }

    fn ends_clause(&self, place: usize) -> bool {
        self.tokens[place].is_mark(&[',', ';', ':', '(', ')', '–']) || self.is_turn(place)
    }

    /// Returns whether a word begins another statement. One that joins two numbers or two names does not.
    fn is_turn(&self, place: usize) -> bool {
        let joins = |of: fn(&Token<'_>) -> bool| {
            let neighbour =
                |place: Option<usize>| place.and_then(|place| self.tokens.get(place)).is_some_and(of);
            neighbour(place.checked_sub(1)) && neighbour(place.checked_add(1))
        };
        let is_number = |token: &Token<'_>| token.is_number() || token.kind == TokenKind::Percent;
        let is_subject = |token: &Token<'_>| matches!(token.kind, TokenKind::Subject(_));
        let token = &self.tokens[place];
        let is_turning = token.kind == TokenKind::Word && is_in(self.lexicon.turning, &token.word);
        is_turning && !joins(is_number) && !joins(is_subject)
    }

    fn bounds(&self, at: usize, ends: impl Fn(usize) -> bool) -> (usize, usize) {
        let start = (0..at).rev().find(|place| ends(*place)).map_or(0, |place| place + 1);
        let end = (at + 1..self.tokens.len()).find(|place| ends(*place)).unwrap_or(self.tokens.len());
        (start, end)
    }
}
