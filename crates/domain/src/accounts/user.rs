//! Users and their states.

use serde::Serialize;

use crate::{BrandId, Role, Span, Timestamp, UserId};

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

#[derive(Clone, Debug, macros::FromRow)]
pub struct User {
    pub id: UserId,
    #[row(column = "brand_id")]
    pub brand: BrandId,
    /// Unique in the installation.
    pub email: String,
    pub name: String,
    pub role: Role,
    pub state: UserState,
    /// Whether the user sees only some projects.
    pub restricted: bool,
    pub last_login_at: Option<Timestamp>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    /// Changes with every change of name, role, state or restriction; used as `ETag`.
    pub version: i64,
    /// Whether logins require a code in addition to the password.
    pub has_second_factor: bool,
    /// The folded name, by which lists are sorted.
    pub name_key: String,
}

/// Filters of a list of users.
#[derive(Clone, Debug, Default)]
pub struct UserFilter {
    pub role: Option<Role>,
    pub state: Option<UserState>,
    /// Substring of the name or email, without regard to case and accents.
    pub q: Option<String>,
}
