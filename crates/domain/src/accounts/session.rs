//! Sessions, as their owner sees them.

use crate::{SessionId, Timestamp};

/// The credential of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionKind {
    /// V1: an opaque cookie. The stored secret is its SHA-256.
    Cookie,
    /// V2: a JWT and a family of refresh tokens. The stored secret keys the family, and is sealed for the user's id.
    Jwt,
}

impl SessionKind {
    pub const ALL: [Self; 2] = [Self::Cookie, Self::Jwt];

    /// Returns the value stored in tables and sent in API responses.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Cookie => "cookie",
            Self::Jwt => "jwt",
        }
    }

    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == word)
    }
}

/// An open session, as its owner sees it.
#[derive(Clone, Debug, macros::FromRow)]
pub struct OpenSession {
    pub id: SessionId,
    pub kind: SessionKind,
    /// The client's address at the login.
    pub address: String,
    pub created_at: Timestamp,
    /// Accurate to about a minute.
    pub last_used_at: Timestamp,
    /// Time at which the session ends at the latest.
    pub expires_at: Timestamp,
}
