//! People who wear tags.

use serde::Serialize;

use crate::{EmailAddress, Invalid, Name, PersonId, RegistryRows, Timestamp};

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

#[derive(Clone, Debug, macros::FromRow)]
pub struct Person {
    pub id: PersonId,
    /// Staff or visitor.
    pub kind: PersonKind,
    pub name: String,
    /// The number that their employer gave them.
    pub employee_id: Option<String>,
    pub email: Option<String>,
    /// Name of the employer.
    pub company: Option<String>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub archived_at: Option<Timestamp>,
    /// Time at which all personal data was deleted for good.
    pub erased_at: Option<Timestamp>,
    /// Changes with every change; used as `ETag`.
    pub version: i64,
    /// The folded name, by which lists are sorted.
    pub name_key: String,
}

#[derive(Clone, Debug)]
pub struct NewPerson {
    /// Staff or visitor.
    pub kind: PersonKind,
    pub name: Name,
    /// The number that their employer gave them.
    pub employee_id: Option<Name>,
    pub email: Option<EmailAddress>,
    /// Name of the employer.
    pub company: Option<Name>,
}

/// Filters of a list of people.
#[derive(Clone, Debug, Default)]
pub struct PeopleFilter {
    /// Only people of one of these kinds; empty means all.
    pub kinds: Vec<PersonKind>,
    /// Substring of the name, without regard to case and accents.
    pub q: Option<String>,
    /// Lists archived people instead of active ones.
    pub archived: bool,
    /// Only these rows of the table.
    pub rows: RegistryRows,
}

/// A person as other records refer to them.
#[derive(Clone, Debug, PartialEq, Eq, macros::FromRow)]
pub struct PersonName {
    pub id: PersonId,
    pub name: String,
    pub kind: PersonKind,
}
