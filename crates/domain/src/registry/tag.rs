//! Tags that people wear.

use serde::Serialize;

use crate::Invalid;

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
