//! People who wear tags.

use serde::Serialize;

use crate::{Invalid, PersonId};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PersonKind {
    Staff,
    Visitor,
}

impl PersonKind {
    pub const ALL: [Self; 2] = [Self::Staff, Self::Visitor];

    /// Returns the value stored in tables and sent in API responses.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Staff => "staff",
            Self::Visitor => "visitor",
        }
    }

    pub fn parse(text: &str) -> Result<Self, Invalid> {
        match text {
            "staff" => Ok(Self::Staff),
            "visitor" => Ok(Self::Visitor),
            _ => Err(Invalid::new("invalid_kind", "must be staff or visitor")),
        }
    }
}

/// Returns the placeholder shown to callers who may not see names, and for people whose data was erased.
pub fn placeholder_name(id: PersonId) -> String {
    format!("Person {id}")
}
