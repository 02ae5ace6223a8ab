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

/// Folds an identifier that people enter, such as an employee id, into the key by which it is kept unique: what looks the same is the same.
/// Besides what [`fold`] ignores, these are characters that are not shown, and the forms of a letter that have the same capital, so that
/// `straße` is `STRASSE`.
pub fn fold_identifier(text: &str) -> String {
    let shown: String = text.chars().filter(|c| !is_invisible(*c)).collect();
    let mut key = String::with_capacity(shown.len());
    for word in shown.split_whitespace() {
        if !key.is_empty() {
            key.push(' ');
        }
        for c in word.nfkd().filter(|c| !is_combining_mark(*c) && !is_invisible(*c)) {
            push_case_folded(&mut key, c);
        }
    }
    // Otherwise all texts of which nothing is left would be equal.
    if key.is_empty() { text.to_owned() } else { key }
}

/// Appends a character in the case that it is compared in, by way of its capitals: those of `ß` are `SS`, and all forms of a sigma have the
/// same one. The capital `ẞ` has no other capital, but a small letter. The dotless `ı` is a letter of its own, although its capital is `I`.
fn push_case_folded(key: &mut String, c: char) {
    if c == 'ı' {
        key.push(c);
        return;
    }
    let capitals = c.to_lowercase().flat_map(char::to_uppercase);
    key.extend(capitals.flat_map(char::to_lowercase));
}

/// Whether nothing of a text would be seen: it has blanks and characters that are not shown, and no others.
pub fn is_blank(text: &str) -> bool {
    text.chars().all(|c| c.is_whitespace() || is_invisible(c))
}

/// The characters that Unicode calls default ignorable, such as the soft hyphen and the zero-width space, and the empty Braille pattern.
pub(crate) fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{AD}'
            | '\u{34F}'
            | '\u{61C}'
            | '\u{115F}'..='\u{1160}'
            | '\u{17B4}'..='\u{17B5}'
            | '\u{180B}'..='\u{180F}'
            | '\u{200B}'..='\u{200F}'
            | '\u{202A}'..='\u{202E}'
            | '\u{2060}'..='\u{206F}'
            | '\u{2800}'
            | '\u{3164}'
            | '\u{FE00}'..='\u{FE0F}'
            | '\u{FEFF}'
            | '\u{FFA0}'
            | '\u{FFF0}'..='\u{FFF8}'
            | '\u{1BCA0}'..='\u{1BCA3}'
            | '\u{1D173}'..='\u{1D17A}'
            | '\u{E0000}'..='\u{E0FFF}'
    )
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

/// A name: 1 to 100 characters, of which at least one is shown, trimmed, without control characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name(String);

impl Name {
    pub const MAX_CHARS: usize = 100;

    /// Parses a name and trims it.
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        if is_blank(text) {
            return Err(Invalid::new("required", "must not be empty"));
        }
        Self::parse_stored(text)
    }

    /// Parses a name that has been stored. Earlier programs also accepted names of which nothing is shown.
    pub fn parse_stored(text: &str) -> Result<Self, Invalid> {
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

    /// Returns the folded key by which it is compared as an identifier.
    pub fn identifier_key(&self) -> String {
        fold_identifier(&self.0)
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

    /// Like [`MultilineText::parse`], but returns `None` for a text of which nothing is shown.
    pub fn parse_optional(text: &str) -> Result<Option<Self>, Invalid> {
        let text = text.trim();
        check(&text.replace(['\n', '\r', '\t'], " "), Self::MAX_CHARS)?;
        Ok((!is_blank(text)).then(|| Self(text.to_owned())))
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
    fn identifiers_that_look_the_same_have_the_same_key() {
        for (one, other) in [
            ("E-1", "e-1"),
            ("E-1", "E\u{200B}-1\u{AD}"),
            ("E 1", "E\u{2060} \u{200D} 1"),
            ("E-1", "\u{FEFF}E-1\u{FE0F}"),
            ("Straße 7", "STRASSE  7"),
            ("STRAẞE", "strasse"),
            ("ΟΔΟΣ", "οδος"),
            ("σίγμα", "ΣΊΓΜΑ"),
            ("ﬁne", "FINE"),
            ("Ä-12", "a-12"),
            ("İ-1", "i-1"),
            ("Ⅻ", "xii"),
        ] {
            assert_eq!(fold_identifier(one), fold_identifier(other), "{one} and {other}");
        }
        for (one, other) in [("E-1", "E-l"), ("E1", "E 1"), ("kız", "kiz"), ("\u{301}", "\u{302}")] {
            assert_ne!(fold_identifier(one), fold_identifier(other), "{one} and {other}");
        }
        assert_eq!(fold_identifier(" E  12 "), "e 12");
    }

    #[test]
    fn names_have_something_to_see() {
        for blank in ["\u{200B}", "\u{AD}\u{AD}", " \u{2060}\t\u{FEFF}", "\u{3164}", "\u{2800}"] {
            assert_eq!(Name::parse(blank).unwrap_err().code, "required", "{blank:?}");
            assert!(MultilineText::parse_optional(blank).is_ok_and(|text| text.is_none()), "{blank:?}");
        }
        // They have a meaning between other characters.
        for name in ["می\u{200C}خواهم", "❤\u{FE0F}", "co\u{AD}op"] {
            assert_eq!(Name::parse(name).unwrap().as_str(), name);
        }
        assert!(Name::parse_stored("\u{200B}").is_ok());
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
