//! Sentences that a fact may be reported with, for the prompt. They are made from the phrases by which answers are checked.

use super::grammar::{MAX_DEPTH, Piece};
use super::phrasing::Phrasing;
use crate::SentenceRole;

/// Returns sentences of a role that tell a fact, at most so many, each by another phrase. The first is by the first phrase, with all that
/// may be left out.
pub(super) fn forms(phrasing: &Phrasing<'_>, role: SentenceRole, max: usize) -> Vec<String> {
    let lines: Vec<_> = phrasing.lines(role.as_str()).into_iter().flatten().collect();
    let sentence = |turn: usize, is_full: bool| {
        let mut text = String::new();
        let mut writer = Writer { phrasing, turn, is_full, reported: Vec::new(), depth: 0 };
        writer.sequence(&lines[turn].phrase, &mut text)?;
        Some(format!("{}.", capitalize(&text)))
    };
    let full = (0..lines.len()).filter_map(|turn| sentence(turn, true));
    let short = (0..lines.len()).filter_map(|turn| sentence(turn, false));
    // A short one early shows what may be left out.
    let (first, rest): (Vec<_>, Vec<_>) = full.enumerate().partition(|(place, _)| *place < max.min(3));
    let all = first.into_iter().chain(short.enumerate()).chain(rest).map(|(_, sentence)| sentence);
    let mut found: Vec<String> = Vec::new();
    for sentence in all {
        if !found.contains(&sentence) {
            found.push(sentence);
        }
    }
    found.truncate(max);
    found
}

struct Writer<'a> {
    phrasing: &'a Phrasing<'a>,
    /// Which of the lines of each section is taken, so that forms differ.
    turn: usize,
    is_full: bool,
    /// Optional parts that have been written.
    reported: Vec<String>,
    depth: usize,
}

impl Writer<'_> {
    /// Adds a phrase to a text; none if the fact has no value for one of its places.
    fn sequence(&mut self, phrase: &[Piece], text: &mut String) -> Option<()> {
        phrase.iter().try_for_each(|piece| self.piece(piece, text))
    }

    fn piece(&mut self, piece: &Piece, text: &mut String) -> Option<()> {
        match piece {
            Piece::Token(_, written) => push(text, written),
            Piece::Comma => push(text, ","),
            Piece::Named(name) => self.named(name, text)?,
            Piece::OneOf(choices) => {
                let found = choices.iter().find_map(|choice| self.attempt(choice, text))?;
                *text = found;
            }
            Piece::Optional(phrase) => {
                let name = format!("{phrase:?}");
                if self.is_full && !self.reported.contains(&name) {
                    self.reported.push(name);
                    if let Some(found) = self.attempt(phrase, text) {
                        *text = found;
                    }
                }
            }
        }
        Some(())
    }

    fn named(&mut self, name: &str, text: &mut String) -> Option<()> {
        if self.depth > MAX_DEPTH {
            return None;
        }
        let Some(lines) = self.phrasing.lines(name) else {
            let value = self.phrasing.values.get(name)?.first()?;
            push(text, &value.text);
            return Some(());
        };
        let lines: Vec<_> = lines.collect();
        self.depth += 1;
        let found = (0..lines.len()).find_map(|place| {
            let line = lines[(place + self.turn) % lines.len()];
            self.attempt(&line.phrase, text)
        });
        self.depth -= 1;
        *text = found?;
        Some(())
    }

    /// Returns a text with a phrase added to it.
    fn attempt(&mut self, phrase: &[Piece], text: &str) -> Option<String> {
        let mut longer = text.to_owned();
        let reported = self.reported.clone();
        let result = self.sequence(phrase, &mut longer);
        if result.is_none() {
            self.reported = reported;
        }
        result.map(|()| longer)
    }
}

/// Adds a word or a mark with the space between them.
fn push(text: &mut String, written: &str) {
    let is_tight =
        text.is_empty() || text.ends_with(['(', '-']) || written.starts_with([',', ')', ';', '-', '.']);
    if !is_tight {
        text.push(' ');
    }
    // Two optional parts may both begin with a comma, and none may end with one.
    if written != "," || !text.ends_with(',') {
        text.push_str(written);
    }
}

fn capitalize(text: &str) -> String {
    let mut chars = text.trim_end_matches(',').chars();
    chars.next().map_or(String::new(), |first| first.to_uppercase().chain(chars).collect())
}
