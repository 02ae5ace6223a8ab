//! Text entered by people, and the folded keys by which both database engines sort, search and compare.

use std::fmt;

use serde::{Serialize, Serializer};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use crate::Invalid;

/// Folds text into the key by which it is sorted, searched and kept unique: accents, case and runs of blanks are ignored.
pub fn fold(text: &str) -> String {
    let mut key = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !key.is_empty() {
            key.push(' ');
        }
        let bare = word.nfkd().filter(|c| !is_combining_mark(*c));
        key.extend(bare.flat_map(char::to_lowercase));
    }
    key
}

/// Rejects text with control characters or with more than `limit` characters.
pub fn check(text: &str, limit: usize) -> Result<(), Invalid> {
    if text.chars().any(is_forbidden) {
        return Err(Invalid::new("control_character", "must not contain control characters"));
    }
    if text.chars().count() > limit {
        return Err(Invalid::new("too_long", format!("must have at most {limit} characters")));
    }
    Ok(())
}

/// Control characters, and bidirectional formatting characters, which can disguise a name.
fn is_forbidden(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

/// Turns a machine-readable word such as `machine_kind` into a label.
pub fn humanize(word: &str) -> String {
    let mut text = word.replace('_', " ");
    if let Some(first) = text.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    text
}

/// A name: 1 to 100 characters, trimmed, without control characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name(String);

impl Name {
    pub const MAX_CHARS: usize = 100;

    /// Parses a name and trims it.
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let text = text.trim();
        if text.is_empty() {
            return Err(Invalid::new("required", "must not be empty"));
        }
        check(text, Self::MAX_CHARS)?;
        Ok(Self(text.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the folded key by which names are sorted and compared.
    pub fn key(&self) -> String {
        fold(&self.0)
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Serialize for Name {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

/// A longer text: 1 to 4,000 characters, trimmed, without control characters other than line breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MultilineText(String);

impl MultilineText {
    pub const MAX_CHARS: usize = 4_000;

    /// Parses a text and trims it.
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        Self::parse_optional(text)?.ok_or_else(|| Invalid::new("required", "must not be empty"))
    }

    /// Like [`MultilineText::parse`], but returns `None` for a text of nothing but blanks.
    pub fn parse_optional(text: &str) -> Result<Option<Self>, Invalid> {
        let text = text.trim();
        check(&text.replace(['\n', '\r', '\t'], " "), Self::MAX_CHARS)?;
        Ok((!text.is_empty()).then(|| Self(text.to_owned())))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folding_forgets_case_accents_and_blanks() {
        assert_eq!(fold("  José   ÁLVAREZ "), "jose alvarez");
        assert_eq!(fold("ﬁne Straße"), "fine straße");
    }

    #[test]
    fn names_are_trimmed_and_bounded() {
        assert_eq!(Name::parse("  Crane 4 ").unwrap().as_str(), "Crane 4");
        assert_eq!(Name::parse(" ").unwrap_err().code, "required");
        assert_eq!(Name::parse("a\u{0}b").unwrap_err().code, "control_character");
        assert_eq!(Name::parse("evil\u{202E}eman").unwrap_err().code, "control_character");
        assert!(Name::parse(&"é".repeat(100)).is_ok());
        assert_eq!(Name::parse(&"é".repeat(101)).unwrap_err().code, "too_long");
    }

    #[test]
    fn prose_has_lines_and_no_other_control_characters() {
        assert_eq!(MultilineText::parse(" a\n\tb \n").unwrap().as_str(), "a\n\tb");
        assert_eq!(MultilineText::parse(" \n ").unwrap_err().code, "required");
        assert_eq!(MultilineText::parse_optional(" \n "), Ok(None));
        assert_eq!(MultilineText::parse("a\u{7}b").unwrap_err().code, "control_character");
        assert!(MultilineText::parse(&"é".repeat(4_000)).is_ok());
        assert_eq!(MultilineText::parse(&"é".repeat(4_001)).unwrap_err().code, "too_long");
    }
}
