//! The words that sentences may consist of, and those that they must not contain. An invented place or thing is no word of the list.

use std::collections::HashSet;
use std::sync::OnceLock;

use texts::Language;

use super::lexicon::{Lexicon, is_in, position_in};
use super::tokens::{Token, TokenKind};
use super::{DropReason, Statement};
use crate::SentenceRole;

/// Words of one language. Words of the list that end with `*` also have the endings of the language.
struct Vocabulary {
    words: HashSet<&'static str>,
    stems: HashSet<&'static str>,
    endings: &'static [&'static str],
}

const ENGLISH_ENDINGS: [&str; 6] = ["s", "es", "d", "ed", "ing", "ly"];
const GERMAN_ENDINGS: [&str; 14] =
    ["e", "en", "er", "es", "em", "n", "s", "t", "te", "ten", "est", "et", "end", "ens"];

impl Vocabulary {
    fn of(language: Language) -> &'static Self {
        static ENGLISH: OnceLock<Vocabulary> = OnceLock::new();
        static GERMAN: OnceLock<Vocabulary> = OnceLock::new();
        match language {
            Language::English => {
                ENGLISH.get_or_init(|| Self::read(include_str!("words/en.txt"), &ENGLISH_ENDINGS))
            }
            Language::German => {
                GERMAN.get_or_init(|| Self::read(include_str!("words/de.txt"), &GERMAN_ENDINGS))
            }
        }
    }

    fn read(list: &'static str, endings: &'static [&'static str]) -> Self {
        let entries = list.lines().filter(|line| !line.starts_with('#')).flat_map(str::split_whitespace);
        let (stems, words): (Vec<&str>, Vec<&str>) = entries.partition(|entry| entry.ends_with('*'));
        let stems = stems.into_iter().map(|entry| entry.trim_end_matches('*'));
        Self { words: words.into_iter().collect(), stems: stems.collect(), endings }
    }

    fn contains(&self, word: &str) -> bool {
        let is_inflected =
            |ending: &&str| word.strip_suffix(*ending).is_some_and(|stem| self.stems.contains(stem));
        self.words.contains(word) || self.stems.contains(word) || self.endings.iter().any(is_inflected)
    }
}

/// Returns the first word that a sentence must not contain.
pub(super) fn wrong_word(statement: &Statement<'_>, role: SentenceRole) -> Option<(DropReason, String)> {
    let tokens = &statement.tokens;
    let words = || tokens.iter().enumerate().filter(|(_, token)| token.kind == TokenKind::Word);
    let refused = |token: &Token<'_>, reason| Some((reason, token.text.to_owned()));
    let lexicon = statement.lexicon;
    // What a sentence wants from its reader or states as a cause is worse than an unknown word.
    for (list, reason) in
        [(lexicon.instructions, DropReason::Instruction), (lexicon.causes, DropReason::Cause)]
    {
        if let Some((_, token)) = words().find(|(_, token)| is_in(list, &token.word)) {
            return refused(token, reason);
        }
    }
    let vocabulary = Vocabulary::of(statement.language);
    for (at, token) in words() {
        let word = token.word.as_str();
        if let Some(allowed) = calendar_word(statement, token, at) {
            if allowed {
                continue;
            }
            return refused(token, DropReason::Number);
        }
        let is_known = vocabulary.contains(word) || is_of_lexicon(lexicon, word);
        let is_capital = token.text.starts_with(char::is_uppercase);
        // English writes names with a capital, German all nouns.
        let is_name = match statement.language {
            Language::English => is_capital && at > 0,
            Language::German => is_capital && !is_known,
        };
        if is_name {
            return refused(token, DropReason::Name);
        }
        let is_vague = lexicon
            .vague
            .iter()
            .any(|(vague, before)| *vague == word && !(at > 0 && is_in(before, &tokens[at - 1].word)));
        let is_advice = is_in(lexicon.advising, word) && role != SentenceRole::Recommendation;
        if !is_known || is_vague || is_advice {
            return refused(token, DropReason::Words);
        }
    }
    None
}

/// Returns whether a weekday is one of the cited facts; none if the word is no weekday.
fn calendar_word(statement: &Statement<'_>, token: &Token<'_>, at: usize) -> Option<bool> {
    let is_capital = token.text.starts_with(char::is_uppercase);
    let weekday = position_in(statement.lexicon.weekdays, token.word.trim_end_matches('s'));
    if let Some(weekday) = weekday {
        let has_day = |day: &u8| usize::from(*day) == weekday;
        return Some(statement.facts.iter().any(|fact| fact.weekdays.iter().any(has_day)));
    }
    // A month that belongs to a day has become a date; one alone says nothing that a fact says.
    let is_month = position_in(statement.lexicon.months, &token.word).is_some();
    (is_month && is_capital && at > 0).then_some(false)
}

/// Words of direction, comparison and units need no second entry.
fn is_of_lexicon(lexicon: &Lexicon, word: &str) -> bool {
    let units = &lexicon.units;
    [
        lexicon.up,
        lexicon.down,
        lexicon.level,
        lexicon.negations,
        lexicon.clear,
        lexicon.probable,
        lexicon.advising,
        lexicon.comparing,
        lexicon.comparing_next,
        lexicon.ranges,
        lexicon.between,
        lexicon.confidence,
        lexicon.of,
        lexicon.by,
        lexicon.to,
        lexicon.from,
        lexicon.until,
        lexicon.turning,
        lexicon.within,
        lexicon.fillers,
        lexicon.per,
        units.percent,
        units.hours,
        units.days,
        units.metres,
        units.incursions,
        units.stations,
        units.tags,
        units.times,
    ]
    .iter()
    .any(|words| is_in(words, word))
        || lexicon.vague.iter().any(|(vague, _)| *vague == word)
}
