//! States of a user.

use serde::Serialize;

use crate::Span;

/// How long a password that the program made up is good if nobody uses it: it stands in a terminal or a log.
pub const UNUSED_PASSWORD_LIFETIME: Span = Span::minutes(24 * 60);

/// Where a user stands: invited -> active <-> deactivated. Only active ones sign in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum UserState {
    /// Asked to join; has no password yet.
    Invited,
    /// May sign in.
    Active,
    /// May not sign in, and can be taken back.
    Deactivated,
}

impl UserState {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Invited, Self::Active, Self::Deactivated];

    /// The word for it, in tables and answers alike.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Invited => "invited",
            Self::Active => "active",
            Self::Deactivated => "deactivated",
        }
    }

    /// Reads the word.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == text)
    }
}
