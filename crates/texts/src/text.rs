//! A text in all languages, with places for values.

use std::mem;

use crate::{Language, integer};

/// A text in all languages. Places for values are written as `{name}`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Text {
    pub key: &'static str,
    pub english: &'static str,
    pub german: &'static str,
}

impl Text {
    pub const fn get(&self, language: Language) -> &'static str {
        match language {
            Language::English => self.english,
            Language::German => self.german,
        }
    }

    /// Puts values in place of `{name}`. Values are not searched again.
    pub fn fill(&self, language: Language, values: &[(&str, &str)]) -> String {
        fill(self.get(language), values)
    }

    /// The same in pieces, of which each of these names is one.
    pub fn pieces(&self, language: Language, names: &[(&str, &str)], values: &[(&str, &str)]) -> Vec<Piece> {
        pieces(self.get(language), names, values)
    }

    /// Returns what stands before and after the first `{name}`, with the other values put in, for a value that is marked up.
    pub fn around(&self, language: Language, name: &str, values: &[(&str, &str)]) -> (String, String) {
        let text = self.get(language);
        let (before, after) = text.split_once(&format!("{{{name}}}")).unwrap_or((text, ""));
        (fill(before, values), fill(after, values))
    }
}

/// A part of a filled text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// What the text says, with the values that belong to it.
    Words(String),
    /// A value that is shown as a part of its own, such as a name.
    Name(String),
}

/// A text that depends on a number, which is its `{n}`: the first form is for one, the second for all others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counted {
    pub key: &'static str,
    pub english: (&'static str, &'static str),
    pub german: (&'static str, &'static str),
}

impl Counted {
    /// Returns both forms.
    pub const fn get(&self, language: Language) -> (&'static str, &'static str) {
        match language {
            Language::English => self.english,
            Language::German => self.german,
        }
    }

    /// Puts the number and other values into the form for the number. A value called `n` is written instead of the number.
    pub fn of(&self, language: Language, number: i64, values: &[(&str, &str)]) -> String {
        let (one, other) = self.get(language);
        let written = integer(language, number);
        let mut all = values.to_vec();
        all.push(("n", &written));
        fill(if number == 1 { one } else { other }, &all)
    }

    /// The same in pieces, of which each of these names is one.
    pub fn pieces(
        &self,
        language: Language,
        number: i64,
        names: &[(&str, &str)],
        values: &[(&str, &str)],
    ) -> Vec<Piece> {
        let (one, other) = self.get(language);
        let written = integer(language, number);
        let mut all = values.to_vec();
        all.push(("n", &written));
        pieces(if number == 1 { one } else { other }, names, &all)
    }
}

fn fill(text: &str, values: &[(&str, &str)]) -> String {
    let mut filled = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, (name, after))) = next_place(rest) {
        filled.push_str(before);
        match values.iter().find(|(known, _)| *known == name) {
            Some((_, value)) => filled.push_str(value),
            None => filled.push_str(&format!("{{{name}}}")),
        }
        rest = after;
    }
    filled.push_str(rest);
    filled
}

fn pieces(text: &str, names: &[(&str, &str)], values: &[(&str, &str)]) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let (mut words, mut rest) = (String::new(), text);
    while let Some((before, (name, after))) = next_place(rest) {
        words.push_str(before);
        match names.iter().find(|(known, _)| *known == name) {
            Some((_, value)) => {
                if !words.is_empty() {
                    pieces.push(Piece::Words(mem::take(&mut words)));
                }
                pieces.push(Piece::Name((*value).to_owned()));
            }
            None => words.push_str(&fill(&format!("{{{name}}}"), values)),
        }
        rest = after;
    }
    words.push_str(rest);
    if !words.is_empty() {
        pieces.push(Piece::Words(words));
    }
    pieces
}

/// Splits a text at its first place: what is before it, its name, and what is after it.
fn next_place(text: &str) -> Option<(&str, (&str, &str))> {
    let (before, place) = text.split_once('{')?;
    Some((before, place.split_once('}')?))
}

/// Returns the text of a word, if it is in the table.
pub(crate) fn find(language: Language, word: &str, table: &[(&str, Text)]) -> Option<&'static str> {
    table.iter().find(|(known, _)| *known == word).map(|(_, text)| text.get(language))
}

/// Defines texts, English first.
macro_rules! texts {
    ($($(#[$doc:meta])* $name:ident = $english:literal, $german:literal;)*) => {
        $($(#[$doc])* pub const $name: $crate::Text =
            $crate::Text { key: stringify!($name), english: $english, german: $german };)*
        #[cfg(test)]
        pub(crate) const ALL: &[$crate::Text] = &[$($name),*];
    };
}

/// Defines texts that depend on a number: the English forms for one and for all others, then the German ones.
macro_rules! counted {
    ($($(#[$doc:meta])* $name:ident = ($one:literal, $other:literal), ($eins:literal, $andere:literal);)*) => {
        $($(#[$doc])* pub const $name: $crate::Counted =
            $crate::Counted { key: stringify!($name), english: ($one, $other), german: ($eins, $andere) };)*
        #[cfg(test)]
        pub(crate) const COUNTED: &[$crate::Counted] = &[$($name),*];
    };
}

pub(crate) use {counted, texts};

/// Returns the names of the places in a text, sorted.
#[cfg(test)]
pub(crate) fn places(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some((_, (name, after))) = next_place(rest) {
        found.push(name);
        rest = after;
    }
    found.sort_unstable();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const PERIOD: Text = Text { key: "PERIOD", english: "{from} to {to}", german: "{from} bis {to}" };
    const DAYS: Counted =
        Counted { key: "DAYS", english: ("{n} day", "{n} days"), german: ("{n} Tag", "{n} Tage") };

    #[test]
    fn values_are_put_in_once() {
        let filled = PERIOD.fill(Language::German, &[("from", "{to}"), ("to", "Freitag")]);
        assert_eq!(filled, "{to} bis Freitag");
        assert_eq!(PERIOD.fill(Language::English, &[("to", "}{")]), "{from} to }{");
        assert_eq!(fill("a { b", &[]), "a { b");
        assert_eq!(places("{b} and {a} {"), ["a", "b"]);
    }

    #[test]
    fn names_are_pieces_of_their_own() {
        let words = |text: &str| Piece::Words(text.to_owned());
        let name = |text: &str| Piece::Name(text.to_owned());
        let of =
            |names: &[(&str, &str)], values: &[(&str, &str)]| PERIOD.pieces(Language::German, names, values);
        assert_eq!(of(&[("to", "{from}")], &[("from", "Montag")]), [words("Montag bis "), name("{from}")]);
        assert_eq!(of(&[("from", "a"), ("to", "b")], &[]), [name("a"), words(" bis "), name("b")]);
        assert_eq!(of(&[], &[("from", "a")]), [words("a bis {to}")]);
        let days = DAYS.pieces(Language::English, 2, &[("name", "x")], &[]);
        assert_eq!(days, [words("2 days")]);
    }

    #[test]
    fn a_text_can_be_split_around_a_value() {
        let (before, after) = PERIOD.around(Language::English, "to", &[("from", "{to}")]);
        assert_eq!((before.as_str(), after.as_str()), ("{to} to ", ""));
    }

    #[test]
    fn the_form_follows_the_number() {
        let written = [1, 0, 1_234].map(|number| DAYS.of(Language::English, number, &[]));
        assert_eq!(written, ["1 day", "0 days", "1,234 days"]);
        assert_eq!(DAYS.of(Language::German, 1_234, &[]), "1.234 Tage");
        assert_eq!(DAYS.of(Language::German, 1_234, &[("n", "viele")]), "viele Tage");
    }
}
