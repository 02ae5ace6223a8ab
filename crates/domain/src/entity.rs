//! Notes on people and machines.

use serde::Serialize;

use crate::Invalid;

/// What kind of thing a note is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum NoteSubject {
    /// A person.
    Person,
    /// A machine.
    Machine,
}

impl NoteSubject {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Person, Self::Machine];

    /// The word for it, in tables and answers alike.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Person => "person",
            Self::Machine => "machine",
        }
    }

    /// Reads the word.
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let found = Self::ALL.into_iter().find(|subject| subject.as_str() == text);
        found.ok_or_else(|| Invalid::new("invalid_entity_type", "must be person or machine"))
    }
}
