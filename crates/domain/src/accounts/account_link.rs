//! What a link that a mail carries is good for.

/// Why someone got a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkPurpose {
    /// To join: an invited user chooses a password.
    Invitation,
    /// To come back in: an active user chooses a new password.
    PasswordReset,
}

impl LinkPurpose {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Invitation, Self::PasswordReset];

    /// The word for it, in tables and in the audit log alike.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Invitation => "invitation",
            Self::PasswordReset => "password_reset",
        }
    }

    /// Reads the word.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|purpose| purpose.as_str() == text)
    }
}

/// What was changed about a user's sign-in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AccountChange {
    /// The password.
    PasswordChanged,
    /// There is a second factor.
    SecondFactorAdded,
    /// There is none any more.
    SecondFactorRemoved,
}
