//! Webhooks: addresses of other systems that are called when alerts fire or clear.

use crate::{Invalid, Timestamp, WebhookId};

/// The reason why a webhook is not called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WebhookDisabled {
    ByUser,
    /// Calls have failed for a day.
    Failing,
    /// The receiver answered that it is gone for good.
    Gone,
    /// The secret cannot be read any more, since the installation key was lost; it can be rotated.
    KeyLost,
}

impl WebhookDisabled {
    pub const ALL: [Self; 4] = [Self::ByUser, Self::Failing, Self::Gone, Self::KeyLost];

    /// Returns the value stored in tables and sent in API responses.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ByUser => "by_user",
            Self::Failing => "failing",
            Self::Gone => "gone",
            Self::KeyLost => "key_lost",
        }
    }

    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let found = Self::ALL.into_iter().find(|reason| reason.as_str() == text);
        found.ok_or_else(|| {
            let words = Self::ALL.map(Self::as_str).join(", ");
            Invalid::new("invalid_reason", format!("must be one of {words}"))
        })
    }
}

#[derive(Clone, Debug, macros::FromRow)]
pub struct Webhook {
    pub id: WebhookId,
    pub name: String,
    pub url: String,
    /// Whether it gets the events of all rules, and not only of certain ones.
    pub all_rules: bool,
    pub secret_since: Timestamp,
    /// Until when calls are also signed with the secret before.
    pub old_secret_until: Option<Timestamp>,
    /// None while it is called.
    pub disabled_at: Option<Timestamp>,
    pub disabled_reason: Option<WebhookDisabled>,
    pub last_success_at: Option<Timestamp>,
    pub last_failure_at: Option<Timestamp>,
    /// Rises with every change; the `ETag`.
    pub version: i64,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    /// The folded name, by which lists are sorted.
    pub name_key: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_go_both_ways() {
        for reason in WebhookDisabled::ALL {
            assert_eq!(WebhookDisabled::parse(reason.as_str()), Ok(reason));
        }
        assert!(WebhookDisabled::parse("by_admin").is_err());
    }
}
