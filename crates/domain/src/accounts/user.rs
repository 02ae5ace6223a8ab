//! User states.

use serde::Serialize;

use crate::Span;

/// Lifetime of an unused generated password, which is visible in a terminal or a log.
pub const UNUSED_PASSWORD_LIFETIME: Span = Span::minutes(24 * 60);

/// The state of a user: invited -> active <-> deactivated. Only active users can sign in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum UserState {
    /// Has an invitation but no password yet.
    Invited,
    Active,
    /// Cannot sign in, but can be reactivated.
    Deactivated,
}

impl UserState {
    pub const ALL: [Self; 3] = [Self::Invited, Self::Active, Self::Deactivated];

    /// Returns the value stored in tables and sent in API responses.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Invited => "invited",
            Self::Active => "active",
            Self::Deactivated => "deactivated",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == text)
    }
}
