//! Purposes of the links sent by mail, and the account changes that users are notified of.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkPurpose {
    /// An invited user chooses a first password.
    Invitation,
    /// An active user chooses a new password.
    PasswordReset,
}

impl LinkPurpose {
    pub const ALL: [Self; 2] = [Self::Invitation, Self::PasswordReset];

    /// Returns the value stored in tables and in the audit log.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Invitation => "invitation",
            Self::PasswordReset => "password_reset",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|purpose| purpose.as_str() == text)
    }
}

/// A change to a user's sign-in that the user is notified of by mail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AccountChange {
    PasswordChanged,
    SecondFactorAdded,
    SecondFactorRemoved,
}
