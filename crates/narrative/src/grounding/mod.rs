//! The grounding check: reads the sentences of a language model by the phrases that tell the facts that they cite, and drops those
//! that say anything else.
//!
//! For each kind of fact and language there is a closed set of phrases with places for its values (`phrases/`). A sentence passes only
//! if all of its words belong to phrases that hold for the cited facts, with the values of the facts in their places. What cannot be
//! read cannot be said: causes, other comparisons, other certainty, other names and numbers need no rules of their own.

mod forms;
mod grammar;
mod matching;
mod phrasing;
mod tokens;
mod values;

use serde::{Deserialize, Serialize};
use texts::Language;

use crate::rules::max_sentences;
use crate::sheet::words;
use crate::{Fact, FactSheet, Roles, Sentence, SentenceRole};
use grammar::Grammar;
use matching::Reader;
use phrasing::Phrasing;
use tokens::{Token, TokenKind, is_month, tokenize};

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
    DropReason [11] {
        /// It cites no fact.
        NoFacts = "no_facts",
        /// It cites a fact that does not exist.
        UnknownFact = "unknown_fact",
        /// A number that the cited facts do not have there.
        Number = "number",
        /// A name or role that does not belong there.
        Name = "name",
        /// A word that no phrase about the cited facts has there.
        Words = "words",
        /// A character that no sentence has, as in code.
        Characters = "characters",
        /// There is more than one sentence in it.
        ExtraSentence = "extra_sentence",
        /// It does not end, or ends before it says anything.
        Unfinished = "unfinished",
        TooLong = "too_long",
        /// The facts were reported before in this role.
        Repeated = "repeated",
        /// There are enough sentences of this role.
        TooMany = "too_many",
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
        let result = check_sentence(sheet, language, roles, &sentence);
        match result.and_then(|sentence| checked.has_place_for(&sentence).map(|()| sentence)) {
            Ok(sentence) => checked.sentences.push(sentence),
            Err((reason, detail)) => checked.dropped.push(Dropped { sentence: place, reason, detail }),
        }
    }
    Ok(checked)
}

impl CheckedAnswer {
    /// Returns whether enough is left to be the report: three findings about different facts, and at most one of three sentences was
    /// dropped. Those that were only too many do not count.
    pub fn is_enough(&self) -> bool {
        let findings = self.sentences.iter().filter(|sentence| sentence.role == SentenceRole::Finding);
        let mut facts: Vec<&String> = findings.flat_map(|sentence| &sentence.facts).collect();
        facts.sort_unstable();
        facts.dedup();
        let is_refused = |dropped: &&Dropped| dropped.reason != DropReason::TooMany;
        let refused = self.dropped.iter().filter(is_refused).count();
        facts.len() >= self.expected_findings && refused * 3 <= self.sentences.len() + refused
    }

    /// Refuses a sentence that says nothing new in its role, or is one too many.
    fn has_place_for(&self, sentence: &Sentence) -> Result<(), (DropReason, String)> {
        let of_role = || self.sentences.iter().filter(|other| other.role == sentence.role);
        let is_reported = |fact: &String| of_role().any(|other| other.facts.contains(fact));
        if sentence.facts.iter().all(is_reported) {
            return Err((DropReason::Repeated, String::new()));
        }
        match of_role().count() < max_sentences(sentence.role) {
            true => Ok(()),
            false => Err((DropReason::TooMany, String::new())),
        }
    }
}

/// Returns sentences of a role that tell a fact and pass the check, at most so many.
pub(crate) fn forms_of(
    sheet: &FactSheet,
    fact: &Fact,
    role: SentenceRole,
    (language, roles): (Language, &Roles),
    max: usize,
) -> Vec<String> {
    forms::forms(&Phrasing::new(sheet, fact, language, roles), role, max)
}

/// Returns whether a word, which is given in lower case, is one of the sentences of site reports in any language.
pub(crate) fn is_word_of_reports(word: &str) -> bool {
    let of = |language: Language| {
        Grammar::of(language).has_word(word)
            || values::is_number_word(word, language)
            || is_month(word, language)
    };
    Language::ALL.into_iter().any(of)
}

/// Checks one sentence. What is returned has tokens in place of roles and names, and cites only the facts that it tells.
fn check_sentence(
    sheet: &FactSheet,
    language: Language,
    roles: &Roles,
    sentence: &AnswerSentence,
) -> Result<Sentence, (DropReason, String)> {
    let text = sentence.text.trim();
    let fail = |reason, detail: &str| Err((reason, shorten(detail)));
    if text.chars().count() > MAX_CHARACTERS {
        return fail(DropReason::TooLong, "");
    }
    let mut facts: Vec<&Fact> = Vec::new();
    for id in &sentence.facts {
        match sheet.fact(id) {
            Some(fact) if facts.iter().any(|known| known.id == fact.id) => {}
            Some(fact) => facts.push(fact),
            None => return fail(DropReason::UnknownFact, id),
        }
    }
    if facts.is_empty() || facts.len() > MAX_FACTS_OF_SENTENCE {
        return fail(DropReason::NoFacts, "");
    }
    let Some(body) = text.strip_suffix('.') else { return fail(DropReason::Unfinished, "") };
    let shortened = |(reason, detail): (DropReason, String)| (reason, shorten(&detail));
    let tokens = tokenize(body, language, Some(roles)).map_err(shortened)?;
    if tokens.iter().any(|token| token.kind == TokenKind::Mark('.')) {
        return fail(DropReason::ExtraSentence, "");
    }
    let phrasings: Vec<Phrasing<'_>> =
        facts.iter().map(|fact| Phrasing::new(sheet, fact, language, roles)).collect();
    let reported = Reader::new(&tokens, language).read(sentence.role, &phrasings);
    let reported = reported.map_err(shortened)?;
    Ok(Sentence {
        role: sentence.role,
        text: format!("{}.", with_tokens(body, &tokens)),
        facts: reported.into_iter().map(|place| phrasings[place].fact.id.clone()).collect(),
    })
}

/// Replaces roles and names by tokens.
fn with_tokens(text: &str, tokens: &[Token<'_>]) -> String {
    let mut replaced = String::with_capacity(text.len());
    let mut done = 0;
    for token in tokens {
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
