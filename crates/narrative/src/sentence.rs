//! Sentences and the tokens in them that stand for names.

use serde::{Deserialize, Serialize};

use crate::sheet::words;
use crate::{Subject, SubjectKind};

/// A sentence and the facts that it rests on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sentence {
    pub role: SentenceRole,
    /// Names are tokens such as `{machine:7}`.
    pub text: String,
    /// Ids of facts.
    pub facts: Vec<String>,
}

words! {
    SentenceRole [3] {
        Finding = "finding",
        Recommendation = "recommendation",
        /// What the facts cannot say, or why they may be incomplete.
        Limitation = "limitation",
    }
}

impl Subject {
    /// Returns the token that stands for the name.
    pub(crate) fn token(self) -> String {
        format!("{{{}:{}}}", self.kind.as_str(), self.id)
    }

    fn parse_token(text: &str) -> Option<Self> {
        let (word, id) = text.split_once(':')?;
        let kind = SubjectKind::ALL.into_iter().find(|kind| kind.as_str() == word)?;
        Some(Self { kind, id: id.parse().ok()? })
    }
}

/// A part of a text with tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextPart<'a> {
    Words(&'a str),
    /// Whose name stands here.
    Subject(Subject),
}

/// Splits a text at its tokens.
pub fn parts_of(text: &str) -> Vec<TextPart<'_>> {
    let mut parts = Vec::new();
    // Where the words begin that are no part yet, and where the next token is looked for.
    let (mut start, mut from) = (0, 0);
    while let Some(found) = text[from..].find('{') {
        let open = from + found;
        let inner = text[open + 1..].split_once('}').map(|(inner, _)| inner);
        let Some((inner, subject)) = inner.and_then(|inner| Some((inner, Subject::parse_token(inner)?)))
        else {
            from = open + 1;
            continue;
        };
        if start < open {
            parts.push(TextPart::Words(&text[start..open]));
        }
        parts.push(TextPart::Subject(subject));
        from = open + inner.len() + 2;
        start = from;
    }
    if start < text.len() {
        parts.push(TextPart::Words(&text[start..]));
    }
    parts
}

/// Replaces tokens by names. Names are not searched for tokens.
pub fn with_names(text: &str, name: impl Fn(Subject) -> String) -> String {
    let parts = parts_of(text).into_iter().map(|part| match part {
        TextPart::Words(words) => words.to_owned(),
        TextPart::Subject(subject) => name(subject),
    });
    parts.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_become_names_and_nothing_else_does() {
        let name = |subject: Subject| format!("<{} {{tag:1}} {}>", subject.kind.as_str(), subject.id);
        for (text, expected) in [
            ("{machine:7} met {pedestrian:12}.", "<machine {tag:1} 7> met <pedestrian {tag:1} 12>."),
            ("{machine:x} {crane:1} { {", "{machine:x} {crane:1} { {"),
            ("{{tag:3}", "{<tag {tag:1} 3>"),
            ("", ""),
        ] {
            assert_eq!(with_names(text, name), expected);
        }
        let subject = Subject { kind: SubjectKind::BaseStation, id: -3 };
        assert_eq!(with_names(&subject.token(), |found| (found == subject).to_string()), "true");
    }
}
