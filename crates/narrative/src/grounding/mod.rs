//! The grounding check: compares the sentences of a language model with the facts that they cite, and drops those that say
//! anything else.
//!
//! A sentence is split into tokens; each number must be a quantity of a cited fact, with its unit, at its place and beside the right
//! names; words of direction and certainty must be those of the facts; and all other words come from a list.

mod contexts;
mod directions;
mod lexicon;
mod matching;
mod meaning;
mod numerals;
mod quantities;
mod statement;
mod times;
mod tokens;
mod vocabulary;

use serde::{Deserialize, Serialize};
use texts::Language;

use crate::sheet::words;
use crate::{FactSheet, Roles, Sentence, SentenceRole};
use directions::FactsAt;
use lexicon::Lexicon;
use statement::Statement;
use tokens::{TokenKind, tokenize};

/// What is left of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckedAnswer {
    pub sentences: Vec<Sentence>,
    pub dropped: Vec<Dropped>,
    /// How many findings the facts allow to expect.
    expected_findings: usize,
}

/// A sentence that was dropped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dropped {
    /// Its place in the answer, from 0.
    pub sentence: usize,
    pub reason: DropReason,
    /// The word or number that failed.
    pub detail: String,
}

words! {
    DropReason [14] {
        /// It cites no fact.
        NoFacts = "no_facts",
        /// It cites a fact that does not exist.
        UnknownFact = "unknown_fact",
        /// A number, time or date is not one of the cited facts, or stands for something else in them.
        Number = "number",
        /// A number has another unit.
        Unit = "unit",
        /// A word claims another direction.
        Direction = "direction",
        /// A word claims more certainty.
        Certainty = "certainty",
        /// A name does not belong to the cited facts, or not to the number beside it.
        Name = "name",
        /// The words around a number, or a negation, say something else than the fact.
        Meaning = "meaning",
        /// It states a cause.
        Cause = "cause",
        /// It addresses a program, or contains code.
        Instruction = "instruction",
        /// A word is not in the list of words.
        Words = "words",
        /// There is more than one sentence in it.
        ExtraSentence = "extra_sentence",
        /// It does not end.
        Unfinished = "unfinished",
        TooLong = "too_long",
    }
}

/// Why an answer cannot be checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerError {
    /// It is not the JSON that was asked for.
    Broken,
    Empty,
    TooManySentences,
}

impl AnswerError {
    /// Returns the word that is stored and sent.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Broken => "answer_broken",
            Self::Empty => "answer_empty",
            Self::TooManySentences => "too_many_sentences",
        }
    }
}

/// The longest sentence, in characters, and the largest number of them.
const MAX_CHARACTERS: usize = 400;
const MAX_SENTENCES: usize = 30;
const MAX_FACTS_OF_SENTENCE: usize = 4;

#[derive(Deserialize)]
struct Answer {
    sentences: Vec<AnswerSentence>,
}

#[derive(Deserialize)]
struct AnswerSentence {
    role: SentenceRole,
    text: String,
    facts: Vec<String>,
}

/// Checks an answer of the model against the facts. Sentences that fail are dropped; in those that are left, roles and names are
/// tokens.
pub fn check_answer(
    sheet: &FactSheet,
    language: Language,
    roles: &Roles,
    answer: &str,
) -> Result<CheckedAnswer, AnswerError> {
    let answer: Answer = serde_json::from_str(answer).map_err(|_| AnswerError::Broken)?;
    match answer.sentences.len() {
        0 => return Err(AnswerError::Empty),
        1..=MAX_SENTENCES => {}
        _ => return Err(AnswerError::TooManySentences),
    }
    let mut checked = CheckedAnswer {
        sentences: Vec::new(),
        dropped: Vec::new(),
        expected_findings: sheet.facts.len().min(3),
    };
    for (place, sentence) in answer.sentences.into_iter().enumerate() {
        match check_sentence(sheet, language, roles, &sentence) {
            Ok(text) => {
                checked.sentences.push(Sentence { role: sentence.role, text, facts: sentence.facts });
            }
            Err((reason, detail)) => checked.dropped.push(Dropped { sentence: place, reason, detail }),
        }
    }
    Ok(checked)
}

impl CheckedAnswer {
    /// Returns whether enough is left to be the report: three findings about different facts, and at most one of five sentences was
    /// dropped for something else than its words.
    pub fn is_enough(&self) -> bool {
        let findings = self.sentences.iter().filter(|sentence| sentence.role == SentenceRole::Finding);
        let mut facts: Vec<&String> = findings.filter_map(|sentence| sentence.facts.first()).collect();
        facts.sort_unstable();
        facts.dedup();
        let false_ones = self.dropped.iter().filter(|dropped| dropped.reason != DropReason::Words).count();
        let all = self.sentences.len() + self.dropped.len();
        facts.len() >= self.expected_findings && false_ones * 5 <= all
    }
}

/// Checks one sentence and returns it with tokens in place of roles and names.
fn check_sentence(
    sheet: &FactSheet,
    language: Language,
    roles: &Roles,
    sentence: &AnswerSentence,
) -> Result<String, (DropReason, String)> {
    let text = sentence.text.trim();
    let fail = |reason, detail: &str| Err((reason, detail.to_owned()));
    if text.chars().count() > MAX_CHARACTERS {
        return fail(DropReason::TooLong, "");
    }
    let mut facts = Vec::new();
    for id in &sentence.facts {
        match sheet.fact(id) {
            Some(fact) => facts.push(fact),
            None => return fail(DropReason::UnknownFact, &shorten(id)),
        }
    }
    if facts.is_empty() || facts.len() > MAX_FACTS_OF_SENTENCE {
        return fail(DropReason::NoFacts, "");
    }
    let Some(body) = text.strip_suffix('.') else { return fail(DropReason::Unfinished, "") };
    let shortened = |(reason, detail): (DropReason, String)| (reason, shorten(&detail));
    let tokens = tokenize(body, language, roles).map_err(shortened)?;
    if tokens.iter().any(|token| token.is_mark(&['.'])) {
        return fail(DropReason::ExtraSentence, "");
    }
    let lexicon = Lexicon::of(language);
    let statement = Statement { tokens, facts, language, lexicon, days: sheet.days };
    check_statement(sheet, &statement, sentence.role).map_err(shortened)?;
    Ok(format!("{}.", with_tokens(body, &statement)))
}

fn check_statement(
    sheet: &FactSheet,
    statement: &Statement<'_>,
    role: SentenceRole,
) -> Result<(), (DropReason, String)> {
    let fail = |wrong: Option<(DropReason, String)>| wrong.map_or(Ok(()), Err);
    fail(vocabulary::wrong_word(statement, role))?;
    let stranger = statement.tokens.iter().find(|token| match token.kind {
        TokenKind::Subject(subject) => !statement.facts.iter().any(|fact| fact.subjects.contains(&subject)),
        _ => false,
    });
    fail(stranger.map(|token| (DropReason::Name, token.text.to_owned())))?;
    fail(times::wrong_time(statement, sheet).map(|text| (DropReason::Number, text)))?;

    let uses = contexts::number_uses(&statement.tokens, statement.lexicon);
    let mut numbers: FactsAt<'_> = Vec::new();
    for used in uses.iter().filter(|used| !used.is_confidence) {
        numbers.push((used.at, matching::facts_of(statement, &uses, used)?));
    }
    let is_negated = meaning::is_negated(&statement.tokens, statement.lexicon);
    if is_negated && role == SentenceRole::Recommendation {
        return Err((DropReason::Meaning, String::new()));
    }
    fail(matching::wrong_negation(statement).map(|clause| (DropReason::Meaning, clause)))?;
    fail(directions::wrong_word(statement, &numbers))?;

    let language = statement.language;
    let rests_on_number = numbers.iter().any(|(_, facts)| !facts.is_empty());
    let rests_on_topic =
        statement.facts.iter().any(|fact| meaning::has_topic(&statement.tokens, fact, language));
    let rests = match role {
        SentenceRole::Finding => rests_on_number || (is_negated && rests_on_topic),
        SentenceRole::Limitation => rests_on_topic,
        SentenceRole::Recommendation => {
            statement.facts.iter().any(|fact| meaning::recommends_for(&statement.tokens, fact, language))
        }
    };
    if rests { Ok(()) } else { Err((DropReason::Meaning, String::new())) }
}

/// Replaces roles and names by tokens.
fn with_tokens(text: &str, statement: &Statement<'_>) -> String {
    let mut replaced = String::with_capacity(text.len());
    let mut done = 0;
    for token in &statement.tokens {
        if let TokenKind::Subject(subject) = token.kind {
            replaced.push_str(&text[done..token.start]);
            replaced.push_str(&subject.token());
            done = token.end();
        }
    }
    replaced.push_str(&text[done..]);
    replaced
}

/// What a model wrote is stored as a detail, but not without end.
fn shorten(text: &str) -> String {
    text.chars().take(60).collect()
}
