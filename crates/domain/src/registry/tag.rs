//! Tags that people wear.

use serde::Serialize;

use crate::{Invalid, PersonId, PersonName, RegistryRows, TagFacts, TagFlag, TagId, TagState, Timestamp};

/// The kind of wearer a tag is meant for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TagRole {
    Pedestrian,
    Operator,
}

impl TagRole {
    pub const ALL: [Self; 2] = [Self::Pedestrian, Self::Operator];

    /// Returns the value stored in tables and sent in API responses.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pedestrian => "pedestrian",
            Self::Operator => "operator",
        }
    }

    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let found = Self::ALL.into_iter().find(|role| role.as_str() == text);
        found.ok_or_else(|| Invalid::new("invalid_role", "must be pedestrian or operator"))
    }
}

#[derive(Clone, Debug, macros::FromRow)]
pub struct Tag {
    pub id: TagId,
    pub serial: String,
    pub role: TagRole,
    /// Battery level, as last reported.
    pub battery_percent: Option<i64>,
    pub last_seen_at: Option<Timestamp>,
    /// Rises with every change; the `ETag`.
    pub version: i64,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub retired_at: Option<Timestamp>,
}

#[derive(Clone, Copy, Debug)]
pub struct LastTest {
    pub tested_at: Timestamp,
    pub passed: bool,
}

/// A tag with its current wearer and last test.
#[derive(Clone, Debug, macros::FromRow)]
pub struct TagDetails {
    #[row(flatten)]
    pub tag: Tag,
    /// The current wearer.
    #[row(columns("person_id", "person_name", "person_kind"))]
    pub person: Option<PersonName>,
    #[row(columns("tested_at", "passed"))]
    pub last_test: Option<LastTest>,
    /// The folded serial, by which lists are sorted.
    pub serial_key: String,
}

impl TagDetails {
    /// The facts from which state and flags are computed.
    pub fn facts(&self) -> TagFacts {
        TagFacts {
            retired: self.tag.retired_at.is_some(),
            assigned: self.person.is_some(),
            battery_percent: self.tag.battery_percent,
            tested_at: self.last_test.map(|test| test.tested_at),
            last_seen_at: self.tag.last_seen_at,
        }
    }
}

#[derive(Clone, Debug, Default)]
pub struct TagFilter {
    /// Only tags whose serial contains this, ignoring case.
    pub q: Option<String>,
    /// Only tags for one of these roles; empty means all.
    pub roles: Vec<TagRole>,
    /// Only tags in one of these states; empty means all.
    pub states: Vec<TagState>,
    /// Only tags with one of these flags; empty means all.
    pub flags: Vec<TagFlag>,
    /// Only tags that one of these people wears now; empty means all.
    pub people: Vec<PersonId>,
    /// Only these rows of the table.
    pub rows: RegistryRows,
}
