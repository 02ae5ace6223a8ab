//! Service accounts: programs that call the API as themselves, each with a token of its own.

use crate::{Name, ProjectId, Role, ServiceTokenId, Span, Timestamp, UserId};

/// The longest time that a service account can be valid without being extended: two years, one of which may be a leap year.
pub const SERVICE_ACCOUNT_MAX_LIFETIME: Span = Span::minutes(731 * 24 * 60);

/// A service account. It is also a row among the users, so that whatever belongs to a user can belong to it.
#[derive(Clone, Debug, macros::FromRow)]
pub struct ServiceAccount {
    pub id: UserId,
    /// Unique among the accounts of the brand that are not archived.
    pub name: String,
    pub role: Role,
    /// Whether the account sees only some projects.
    pub restricted: bool,
    /// Time at which its tokens stop working.
    pub expires_at: Timestamp,
    pub archived_at: Option<Timestamp>,
    /// The token that was issued last, unless it has been revoked.
    #[row(columns(
        "token_id",
        "token_issued_at",
        "token_expires_at",
        "token_last_used_at",
        "token_replaced_at"
    ))]
    pub token: Option<ServiceToken>,
    /// The token before it, which works until it expires.
    #[row(columns(
        "previous_id",
        "previous_issued_at",
        "previous_expires_at",
        "previous_last_used_at",
        "previous_replaced_at"
    ))]
    pub previous_token: Option<ServiceToken>,
    /// Rises with every change; the `ETag`.
    pub version: i64,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    /// The folded name, by which lists are sorted.
    pub name_key: String,
}

/// The details of a service account's token that may be shown after it was issued.
#[derive(Clone, Copy, Debug)]
pub struct ServiceToken {
    /// `sid` in the token.
    pub id: ServiceTokenId,
    pub issued_at: Timestamp,
    /// Time at which the token stops working: with its account, or earlier if it was replaced.
    pub expires_at: Timestamp,
    /// Precise to the minute.
    pub last_used_at: Option<Timestamp>,
    /// Time at which another token took its place.
    pub replaced_at: Option<Timestamp>,
}

impl ServiceToken {
    /// Returns the time at which the token was last used or replaced, or issued if it was neither.
    pub fn updated_at(&self) -> Timestamp {
        [self.last_used_at, self.replaced_at].into_iter().flatten().fold(self.issued_at, Timestamp::max)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewServiceAccount {
    /// Unique among the accounts of the brand that are not archived.
    pub name: Name,
    pub role: Role,
    /// The only projects that the account sees, or `None` for all.
    pub projects: Option<Vec<ProjectId>>,
    pub expires_at: Timestamp,
}

#[derive(Clone, Debug, Default)]
pub struct ServiceAccountFilter {
    /// True for archived accounts only, false for the others only.
    pub archived: bool,
    /// Only accounts whose name contains this, ignoring case and accents.
    pub q: Option<String>,
}
