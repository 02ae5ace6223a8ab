//! Splits sentences and phrases into words, numbers, marks and the roles or names of subjects.

use texts::Language;
use texts::values::month;

use super::DropReason;
use crate::{Roles, Subject};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// In lower case.
    Word(String),
    /// Without separators of thousands and with a decimal point; times of the day without a leading zero.
    Number(String),
    Mark(char),
    Subject(Subject),
}

#[derive(Clone, Debug)]
pub(super) struct Token<'a> {
    pub kind: TokenKind,
    pub text: &'a str,
    /// Where it is in the sentence, in bytes.
    pub start: usize,
    /// Whether there is a comma before it. Commas are no tokens, because no phrase changes its meaning by one.
    pub follows_comma: bool,
}

impl Token<'_> {
    pub fn end(&self) -> usize {
        self.start + self.text.len()
    }
}

/// The marks that sentences consist of, besides commas. Quotes, slashes, braces and the like only occur in instructions and code.
const MARKS: [char; 8] = ['.', ';', '(', ')', '-', '+', '−', '%'];

/// Splits a text, or says which of its characters do not belong into a sentence.
pub(super) fn tokenize<'a>(
    text: &'a str,
    language: Language,
    roles: Option<&Roles>,
) -> Result<Vec<Token<'a>>, (DropReason, String)> {
    let mut tokens: Vec<Token<'a>> = Vec::new();
    let (mut at, mut follows_comma) = (0, false);
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let is_boundary = !text[..at].ends_with(char::is_alphanumeric);
        let subject = roles.filter(|_| is_boundary).and_then(|roles| roles.at_start(rest));
        let (kind, length) = if let Some((subject, length)) = subject {
            (TokenKind::Subject(subject), length)
        } else if matches!(first, ' ' | '\u{a0}' | '\u{202f}') {
            at += first.len_utf8();
            continue;
        } else if first == ',' && !follows_comma && !tokens.is_empty() && rest.starts_with(", ") {
            at += 1;
            follows_comma = true;
            continue;
        } else if first.is_ascii_digit() {
            read_number(rest, language)
        } else if first.is_alphabetic() {
            read_word(rest)
        } else if MARKS.contains(&first) {
            (TokenKind::Mark(first), first.len_utf8())
        } else {
            return Err((DropReason::Characters, first.escape_default().to_string()));
        };
        tokens.push(Token { kind, text: &rest[..length], start: at, follows_comma });
        at += length;
        follows_comma = false;
    }
    Ok(without_dots_of_dates(&tokens, language))
}

/// The same without places, for phrases and values. Characters that do not belong there become nothing.
pub(super) fn kinds_of(text: &str, language: Language) -> Vec<TokenKind> {
    let tokens = tokenize(text, language, None).unwrap_or_default();
    tokens.into_iter().map(|token| token.kind).collect()
}

/// Reads a word. A percent sign can be one, too.
fn read_word(text: &str) -> (TokenKind, usize) {
    let length = run(text, char::is_alphanumeric);
    let word = text[..length].to_lowercase();
    match &*word {
        "percent" | "prozent" => (TokenKind::Mark('%'), length),
        "per" if text[length..].starts_with(" cent ") => (TokenKind::Mark('%'), length + " cent".len()),
        _ => (TokenKind::Word(word), length),
    }
}

/// Reads a number or a time of the day. One that is written wrongly equals nothing.
fn read_number(text: &str, language: Language) -> (TokenKind, usize) {
    let length = run(text, |c| c.is_alphanumeric() || matches!(c, '.' | ',' | ':'));
    let written = text[..length].trim_end_matches(['.', ',', ':']);
    let is_clock = written.contains(':') && !written.contains(['.', ',']);
    let number = if is_clock { written.strip_prefix('0').unwrap_or(written) } else { written };
    let plain = if is_clock { Some(number.to_owned()) } else { without_separators(number, language) };
    (TokenKind::Number(plain.unwrap_or_else(|| format!("?{written}"))), written.len())
}

/// Returns digits with a decimal point; none if the separators are misplaced.
fn without_separators(text: &str, language: Language) -> Option<String> {
    let (thousands, point) = language.separators();
    let (whole, decimals) = match text.split_once(point) {
        Some((whole, decimals)) => (whole, Some(decimals)),
        None => (text, None),
    };
    let mut groups = whole.split(thousands);
    let first = groups.next()?;
    let mut plain = first.to_owned();
    for group in groups {
        if group.len() != 3 || !(1..=3).contains(&first.len()) {
            return None;
        }
        plain.push_str(group);
    }
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number(&plain) || !decimals.is_none_or(is_number) {
        return None;
    }
    Some(decimals.map_or(plain.clone(), |decimals| format!("{plain}.{decimals}")))
}

/// Returns whether a word, which is given in lower case, is the name of a month.
pub(super) fn is_month(word: &str, language: Language) -> bool {
    (0..12_i64).any(|number| month(language, number).to_lowercase() == word)
}

/// The dot of "2. März" ends no sentence.
fn without_dots_of_dates<'a>(tokens: &[Token<'a>], language: Language) -> Vec<Token<'a>> {
    let is_day = |token: &Token<'_>| matches!(&token.kind, TokenKind::Number(day) if day.len() <= 2);
    let is_month =
        |token: &Token<'_>| matches!(&token.kind, TokenKind::Word(word) if is_month(word, language));
    let is_dot_of_date = |at: usize| {
        language == Language::German
            && tokens[at].kind == TokenKind::Mark('.')
            && at.checked_sub(1).is_some_and(|before| is_day(&tokens[before]))
            && tokens.get(at + 1).is_some_and(is_month)
    };
    (0..tokens.len()).filter(|at| !is_dot_of_date(*at)).map(|at| tokens[at].clone()).collect()
}

fn run(text: &str, belongs: impl Fn(char) -> bool) -> usize {
    text.find(|c| !belongs(c)).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(text: &str, language: Language) -> Vec<String> {
        let number = |kind| match kind {
            TokenKind::Number(number) => Some(number),
            _ => None,
        };
        kinds_of(text, language).into_iter().filter_map(number).collect()
    }

    #[test]
    fn numbers_are_those_of_the_language() {
        assert_eq!(
            numbers("1,234.5, 12 and 07:00 to 10:00", Language::English),
            ["1234.5", "12", "7:00", "10:00"]
        );
        assert_eq!(numbers("1.234,5 1234 2. März", Language::German), ["1234.5", "1234", "2"]);
        for bad in ["1,23", "12,34,567", "1.2.3", "1,2345", "3x", "1234,567"] {
            assert_eq!(numbers(bad, Language::English), [format!("?{bad}")], "{bad}");
        }
        assert_eq!(numbers("12.5", Language::German), ["?12.5"]);
    }

    #[test]
    fn commas_are_noted_and_percent_signs_have_words() {
        let tokens = tokenize("A, and 3 per cent of b", Language::English, None).unwrap();
        let seen: Vec<(&str, bool)> = tokens.iter().map(|token| (token.text, token.follows_comma)).collect();
        assert_eq!(
            seen,
            [("A", false), ("and", true), ("3", false), ("per cent", false), ("of", false), ("b", false)]
        );
        assert_eq!(tokens[3].kind, TokenKind::Mark('%'));
        for bad in ["a,, b", "a ,b", ", a", "a \"b\"", "a\nb", "a: b", "٣"] {
            assert!(tokenize(bad, Language::English, None).is_err(), "{bad}");
        }
        assert_eq!(kinds_of("2. März. Ende", Language::German).len(), 4);
    }
}
