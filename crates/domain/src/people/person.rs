//! People who wear tags.

use serde::Serialize;

use crate::{Invalid, PersonId};

/// Why a person is on site.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PersonKind {
    /// Works there.
    Staff,
    /// Comes for a visit.
    Visitor,
}

impl PersonKind {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Staff, Self::Visitor];

    /// The word for it, in tables and answers alike.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Staff => "staff",
            Self::Visitor => "visitor",
        }
    }

    /// Reads the word.
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        match text {
            "staff" => Ok(Self::Staff),
            "visitor" => Ok(Self::Visitor),
            _ => Err(Invalid::new("invalid_kind", "must be staff or visitor")),
        }
    }
}

/// What stands in the place of a name: for those who do not see names, and once a person was erased.
pub fn placeholder_name(id: PersonId) -> String {
    format!("Person {id}")
}
