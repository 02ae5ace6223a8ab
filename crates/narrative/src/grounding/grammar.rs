//! Reads the phrases of a language from their files.
//!
//! A line is a phrase: words, `{name}` for a value of the fact or for another section, `<a/b>` for one of several, `[a]` for what may
//! be left out. Words before a colon are what must hold for the fact, as must the words behind the name of the section.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use texts::Language;

use super::tokens::{TokenKind, kinds_of};

/// Sections refer to others, but not without end.
pub(super) const MAX_DEPTH: usize = 10;

/// The phrases of a language, by section.
#[derive(Debug)]
pub(super) struct Grammar {
    sections: BTreeMap<String, Vec<Line>>,
    words: BTreeSet<String>,
}

/// A phrase, and what must hold for a fact to be reported by it.
#[derive(Debug)]
pub(super) struct Line {
    pub conditions: Vec<String>,
    pub phrase: Vec<Piece>,
}

/// A part of a phrase.
#[derive(Debug)]
pub(super) enum Piece {
    /// A word or a mark, as it is compared and as it is written.
    Token(TokenKind, String),
    /// Is written, but not compared.
    Comma,
    /// A section or, if there is none of that name, a value.
    Named(String),
    OneOf(Vec<Vec<Piece>>),
    Optional(Vec<Piece>),
}

static ENGLISH: LazyLock<Grammar> = LazyLock::new(|| {
    let files = [
        include_str!("phrases/en/findings.txt"),
        include_str!("phrases/en/comparisons.txt"),
        include_str!("phrases/en/advice.txt"),
    ];
    Grammar::parse(&files, Language::English)
});

static GERMAN: LazyLock<Grammar> = LazyLock::new(|| {
    let files = [
        include_str!("phrases/de/findings.txt"),
        include_str!("phrases/de/comparisons.txt"),
        include_str!("phrases/de/advice.txt"),
    ];
    Grammar::parse(&files, Language::German)
});

impl Grammar {
    pub fn of(language: Language) -> &'static Self {
        match language {
            Language::English => &ENGLISH,
            Language::German => &GERMAN,
        }
    }

    /// Returns the lines of a section; none if there is no such section.
    pub fn section(&self, name: &str) -> Option<&[Line]> {
        self.sections.get(name).map(Vec::as_slice)
    }

    /// Returns whether a phrase contains a word, which is given in lower case.
    pub fn has_word(&self, word: &str) -> bool {
        self.words.contains(word)
    }

    fn parse(files: &[&str], language: Language) -> Self {
        let mut grammar = Self { sections: BTreeMap::new(), words: BTreeSet::new() };
        for file in files {
            let (mut section, mut shared) = (String::new(), Vec::new());
            for line in file.lines().map(str::trim) {
                if line.is_empty() || line.starts_with('#') {
                    continue;
                }
                if let Some(header) = line.strip_prefix("==") {
                    let mut words = header.split_whitespace().map(str::to_owned);
                    section = words.next().unwrap_or_default();
                    shared = words.collect();
                    continue;
                }
                let (own, phrase) = line.split_once(':').unwrap_or(("", line));
                let own = own.split_whitespace().map(str::to_owned);
                let conditions = shared.iter().cloned().chain(own).collect();
                let phrase = Parser { language, words: &mut grammar.words }.sequence(&mut phrase.trim(), "");
                grammar.sections.entry(section.clone()).or_default().push(Line { conditions, phrase });
            }
        }
        grammar
    }

    #[cfg(test)]
    pub fn sections(&self) -> impl Iterator<Item = (&String, &Vec<Line>)> {
        self.sections.iter()
    }
}

struct Parser<'a> {
    language: Language,
    words: &'a mut BTreeSet<String>,
}

impl Parser<'_> {
    /// Reads until one of these characters, which is left.
    fn sequence(&mut self, rest: &mut &str, ends: &str) -> Vec<Piece> {
        let mut pieces = Vec::new();
        while let Some(first) = rest.chars().next().filter(|first| !ends.contains(*first)) {
            match first {
                '{' => {
                    let (name, after) = rest[1..].split_once('}').unwrap_or((&rest[1..], ""));
                    pieces.push(Piece::Named(name.to_owned()));
                    *rest = after;
                }
                '[' => {
                    *rest = &rest[1..];
                    pieces.push(Piece::Optional(self.sequence(rest, "]")));
                    *rest = rest.get(1..).unwrap_or_default();
                }
                '<' => {
                    let mut choices = Vec::new();
                    while rest.starts_with(['<', '/']) {
                        *rest = &rest[1..];
                        choices.push(self.sequence(rest, "/>"));
                    }
                    pieces.push(Piece::OneOf(choices));
                    *rest = rest.get(1..).unwrap_or_default();
                }
                ',' => {
                    pieces.push(Piece::Comma);
                    *rest = &rest[1..];
                }
                _ => {
                    let is_word = first.is_alphanumeric();
                    let end = rest.find(|c: char| !is_word || !c.is_alphanumeric()).unwrap_or(rest.len());
                    let (text, after) = rest.split_at(end.max(first.len_utf8()));
                    self.add(text, &mut pieces);
                    *rest = after;
                }
            }
        }
        pieces
    }

    fn add(&mut self, text: &str, pieces: &mut Vec<Piece>) {
        for kind in kinds_of(text, self.language) {
            if let TokenKind::Word(word) = &kind {
                self.words.insert(word.clone());
            }
            pieces.push(Piece::Token(kind, text.to_owned()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ComparedWith, Direction, FactKind, FactUnit, FactZone};

    /// The places that facts have values for.
    const VALUES: [&str; 20] = [
        "all",
        "change",
        "count",
        "days",
        "first",
        "from",
        "high",
        "last",
        "low",
        "machine",
        "other",
        "pedestrian",
        "period_days",
        "ratio",
        "signed",
        "subject",
        "subjects",
        "to",
        "value",
        "working_days",
    ];
    const OTHERS: [&str; 12] = [
        "none", "some", "one", "many", "doubled", "halved", "too_few", "plain", "clear", "probable",
        "chance", "on_few",
    ];

    fn is_condition(word: &str) -> bool {
        let words = FactKind::ALL.map(FactKind::as_str).into_iter();
        let words =
            words.chain(FactUnit::ALL.map(FactUnit::as_str)).chain(FactZone::ALL.map(FactZone::as_str));
        let words = words.chain(ComparedWith::ALL.map(ComparedWith::as_str)).chain(OTHERS);
        let mut words = words.chain(Direction::ALL.map(Direction::as_str));
        word.starts_with("do_") || words.any(|known| known == word)
    }

    fn names<'a>(phrase: &'a [Piece], found: &mut Vec<&'a str>) {
        for piece in phrase {
            match piece {
                Piece::Named(name) => found.push(name),
                Piece::OneOf(choices) => choices.iter().for_each(|choice| names(choice, found)),
                Piece::Optional(phrase) => names(phrase, found),
                Piece::Token(..) | Piece::Comma => {}
            }
        }
    }

    /// Returns how deep sections refer to others.
    fn depth(grammar: &Grammar, section: &str) -> usize {
        let mut found = Vec::new();
        grammar.section(section).unwrap().iter().for_each(|line| names(&line.phrase, &mut found));
        found.retain(|name| grammar.section(name).is_some() && *name != section);
        found.iter().map(|name| 1 + depth(grammar, name)).max().unwrap_or(0)
    }

    #[test]
    fn phrases_name_only_what_there_is() {
        for language in Language::ALL {
            let grammar = Grammar::of(language);
            let mut used = vec!["finding", "recommendation", "limitation"];
            for (section, lines) in grammar.sections() {
                for line in lines {
                    for condition in &line.conditions {
                        assert!(is_condition(condition), "{section}: {condition}");
                    }
                    let mut found = Vec::new();
                    names(&line.phrase, &mut found);
                    for name in &found {
                        assert!(
                            grammar.section(name).is_some() || VALUES.contains(name),
                            "{section}: {name}"
                        );
                        assert_ne!(name, section, "a section must not contain itself");
                    }
                    used.extend(found);
                }
            }
            for (section, _) in grammar.sections() {
                assert!(used.contains(&section.as_str()), "{section} is not used");
                assert!(depth(grammar, section) + 1 < MAX_DEPTH, "{section}");
            }
        }
    }

    /// Both languages have phrases for the same.
    #[test]
    fn every_kind_and_advice_has_phrases_in_both_languages() {
        let conditions = |language: Language, section: &str| {
            let lines = Grammar::of(language).section(section).unwrap().iter();
            let first = lines.filter_map(|line| line.conditions.first().cloned());
            first.collect::<BTreeSet<String>>()
        };
        for section in ["finding", "recommendation", "limitation", "difference", "moved"] {
            assert_eq!(
                conditions(Language::English, section),
                conditions(Language::German, section),
                "{section}"
            );
        }
        let kinds: BTreeSet<String> = FactKind::ALL.iter().map(|kind| kind.as_str().to_owned()).collect();
        assert_eq!(conditions(Language::English, "finding"), kinds);
    }

    #[test]
    fn brackets_are_closed() {
        for language in Language::ALL {
            for (section, lines) in Grammar::of(language).sections() {
                for line in lines {
                    let written = format!("{:?}", line.phrase);
                    assert!(!written.contains("\"]\"") && !written.contains("\">\""), "{section}: {written}");
                }
            }
        }
    }
}
