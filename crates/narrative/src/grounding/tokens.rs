//! Splits a sentence into words, numbers, clock times, dates, marks and the roles or names of subjects.

use texts::Language;

use super::DropReason;
use super::lexicon::{Lexicon, position_in};
use super::numerals::{self, Numeral};
use crate::{FactUnit, Roles, Subject};

#[derive(Clone, Debug, PartialEq)]
pub(super) enum TokenKind {
    Word,
    Number(Numeral),
    /// Minutes since midnight.
    Clock(u32),
    /// Year, if it is written, month and day.
    Date(Option<i64>, i64, i64),
    Percent,
    Mark(char),
    Subject(Subject),
}

#[derive(Clone, Debug)]
pub(super) struct Token<'a> {
    pub kind: TokenKind,
    pub text: &'a str,
    /// In lower case, without an English genitive.
    pub word: String,
    /// Where it is in the sentence, in bytes.
    pub start: usize,
}

impl Token<'_> {
    pub fn is_word(&self, words: &[&str]) -> bool {
        self.kind == TokenKind::Word && words.contains(&self.word.as_str())
    }

    pub fn is_mark(&self, marks: &[char]) -> bool {
        matches!(self.kind, TokenKind::Mark(mark) if marks.contains(&mark))
    }

    /// Whether it is a number in the widest sense.
    pub fn is_number(&self) -> bool {
        matches!(self.kind, TokenKind::Number(_) | TokenKind::Clock(_) | TokenKind::Date(..))
    }

    pub fn end(&self) -> usize {
        self.start + self.text.len()
    }
}

/// The marks that sentences consist of. Braces, quotes, slashes and the like only occur in instructions and code.
const MARKS: [char; 10] = ['.', ',', ';', ':', '(', ')', '-', '–', '+', '−'];

/// Splits a sentence, or says which of its characters do not belong into one.
pub(super) fn tokenize<'a>(
    text: &'a str,
    language: Language,
    roles: &Roles,
) -> Result<Vec<Token<'a>>, (DropReason, String)> {
    let mut tokens: Vec<Token<'a>> = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let is_boundary = !text[..at].ends_with(char::is_alphanumeric);
        let (kind, length) = if let Some((subject, length)) = roles.at_start(rest).filter(|_| is_boundary) {
            (TokenKind::Subject(subject), length)
        } else if first.is_whitespace() && first != '\n' && first != '\r' {
            at += first.len_utf8();
            continue;
        } else if first.is_ascii_digit() {
            read_number(rest, language)?
        } else if first.is_alphabetic() {
            (TokenKind::Word, run(rest, |c| c.is_alphanumeric() || matches!(c, '\'' | '’')))
        } else if first == '%' {
            (TokenKind::Percent, 1)
        } else if MARKS.contains(&first) {
            (TokenKind::Mark(first), first.len_utf8())
        } else if first.is_numeric() {
            return Err((DropReason::Number, first.to_string()));
        } else {
            return Err((DropReason::Instruction, first.escape_default().to_string()));
        };
        let written = &rest[..length];
        let folded = written.to_lowercase();
        let word =
            folded.trim_end_matches("'s").trim_end_matches("’s").trim_end_matches(['\'', '’']).to_owned();
        tokens.push(Token { kind, text: written, word, start: at });
        at += length;
    }
    let tokens: Vec<Token<'a>> = tokens.into_iter().map(|token| read_number_word(token, language)).collect();
    Ok(merge(&tokens, text, language))
}

fn run(text: &str, belongs: impl Fn(char) -> bool) -> usize {
    text.find(|c| !belongs(c)).unwrap_or(text.len())
}

fn read_number(text: &str, language: Language) -> Result<(TokenKind, usize), (DropReason, String)> {
    let date = run(text, |c| c.is_ascii_digit() || c == '-');
    if let Some((year, month, day)) = numerals::parse_date(&text[..date]) {
        return Ok((TokenKind::Date(Some(year), month, day), date));
    }
    let clock = run(text, |c| c.is_ascii_digit() || c == ':');
    if let Some(minutes) = numerals::parse_clock(&text[..clock]) {
        return Ok((TokenKind::Clock(minutes), clock));
    }
    let written = &text[..run(text, |c| c.is_ascii_digit() || matches!(c, '.' | ','))];
    let written = written.trim_end_matches(['.', ',']);
    let refused = || (DropReason::Number, written.to_owned());
    if text[written.len()..].starts_with(char::is_alphanumeric) {
        return Err(refused());
    }
    let number = numerals::parse(written, language).ok_or_else(refused)?;
    Ok((TokenKind::Number(number), written.len()))
}

fn read_number_word<'a>(token: Token<'a>, language: Language) -> Token<'a> {
    match numerals::parse_word(&token.word, language) {
        Some(number) if token.kind == TokenKind::Word => Token { kind: TokenKind::Number(number), ..token },
        _ => token,
    }
}

/// Joins tokens that are one number: durations, dates and hours of the clock.
fn merge<'a>(tokens: &[Token<'a>], text: &'a str, language: Language) -> Vec<Token<'a>> {
    let lexicon = Lexicon::of(language);
    let mut merged: Vec<Token<'a>> = Vec::new();
    let mut rest = tokens;
    while let Some(first) = rest.first() {
        let (kind, count) = duration(rest)
            .or_else(|| date(rest, lexicon))
            .or_else(|| hour(rest))
            .unwrap_or((first.kind.clone(), 1));
        let end = rest[count - 1].end();
        merged.push(Token { kind, text: &text[first.start..end], ..first.clone() });
        rest = &rest[count..];
    }
    // In "between 7 and 10 Uhr" the first number is an hour, too.
    for at in 2..merged.len() {
        let is_range =
            merged[at - 1].is_word(&["bis", "und", "to", "and"]) || merged[at - 1].is_mark(&['-', '–']);
        let is_hour = matches!(merged[at].kind, TokenKind::Clock(_)) && merged[at].text.contains(' ');
        if let (TokenKind::Number(number), true, true) = (&merged[at - 2].kind, is_range, is_hour)
            && let Some(minutes) = number.whole_hour()
        {
            merged[at - 2].kind = TokenKind::Clock(minutes);
        }
    }
    merged
}

/// Reads `2 h 5 min`, `1 min 20 s` or `14 s`. Hours alone stay a number with a unit, because runtime has it, too.
fn duration(tokens: &[Token<'_>]) -> Option<(TokenKind, usize)> {
    let part = |at: usize| match (&tokens.get(at)?.kind, tokens.get(at + 1)) {
        (TokenKind::Number(number), Some(unit)) if unit.kind == TokenKind::Word => {
            Some((*number, numerals::unit_seconds(&unit.word)?))
        }
        _ => None,
    };
    let (first, unit) = part(0)?;
    let (mut seconds, mut step, mut count) = (first.value * unit, first.step * unit, 2);
    match part(2) {
        Some((second, smaller)) if smaller < unit && second.value < unit / smaller => {
            seconds += second.value * smaller;
            step = second.step * smaller;
            count = 4;
        }
        _ if unit >= 3_600.0 => return None,
        _ => {}
    }
    let number = Numeral { value: seconds, step, unit: Some(FactUnit::Seconds) };
    Some((TokenKind::Number(number), count))
}

/// Reads `2 March 2026`, `March 2` and `2. März 2026`.
fn date(tokens: &[Token<'_>], lexicon: &Lexicon) -> Option<(TokenKind, usize)> {
    let day = |at: usize| match &tokens.get(at)?.kind {
        TokenKind::Number(number) => number.day_of_month(),
        _ => None,
    };
    let month = |at: usize| {
        let token = tokens.get(at).filter(|token| token.text.starts_with(char::is_uppercase))?;
        let place = position_in(lexicon.months, &token.word)?;
        i64::try_from(place + 1).ok()
    };
    let year = |at: usize| match &tokens.get(at)?.kind {
        TokenKind::Number(number) => number.year(),
        _ => None,
    };
    let (month, day, count) = match (day(0), month(0)) {
        (Some(day), _) => {
            let dot = usize::from(tokens.get(1).is_some_and(|token| token.is_mark(&['.'])));
            (month(1 + dot)?, day, 2 + dot)
        }
        (_, Some(month)) => (month, day(1)?, 2),
        _ => return None,
    };
    let year = year(count);
    Some((TokenKind::Date(year, month, day), count + usize::from(year.is_some())))
}

/// Reads `7 Uhr` and `07:00 Uhr`.
fn hour(tokens: &[Token<'_>]) -> Option<(TokenKind, usize)> {
    let [number, word, ..] = tokens else { return None };
    if !word.is_word(&["uhr"]) {
        return None;
    }
    match &number.kind {
        TokenKind::Number(number) => Some((TokenKind::Clock(number.whole_hour()?), 2)),
        TokenKind::Clock(minutes) => Some((TokenKind::Clock(*minutes), 2)),
        _ => None,
    }
}
