//! Messages: what is sent at once, and their deliveries.

use crate::{
    AlertDeliveryId, AlertFiringId, AlertMessageId, AlertRecipientId, AlertRuleId, Invalid, Timestamp,
    WebhookId,
};

/// What a message is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AlertEvent {
    Fired,
    Cleared,
    /// Sent by hand, to see whether messages arrive.
    Test,
}

impl AlertEvent {
    pub const ALL: [Self; 3] = [Self::Fired, Self::Cleared, Self::Test];

    /// Returns the value stored in tables and sent in API responses.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Fired => "fired",
            Self::Cleared => "cleared",
            Self::Test => "test",
        }
    }

    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let found = Self::ALL.into_iter().find(|event| event.as_str() == text);
        found.ok_or_else(|| Invalid::new("invalid_event", "must be one of fired, cleared, test"))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AlertMessageKind {
    /// One event, sent at once.
    Single,
    /// What waits until active hours begin.
    Held,
    /// What would have been too many mails within an hour.
    Digest,
    Test,
}

impl AlertMessageKind {
    pub const ALL: [Self; 4] = [Self::Single, Self::Held, Self::Digest, Self::Test];

    /// Returns the value stored in tables.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Single => "single",
            Self::Held => "held",
            Self::Digest => "digest",
            Self::Test => "test",
        }
    }

    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let found = Self::ALL.into_iter().find(|kind| kind.as_str() == text);
        found.ok_or_else(|| Invalid::new("invalid_kind", "must be one of single, held, digest, test"))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AlertMessageState {
    Waiting,
    /// Its deliveries were made.
    Released,
    /// Nothing was left of it when its time came.
    Dropped,
}

impl AlertMessageState {
    pub const ALL: [Self; 3] = [Self::Waiting, Self::Released, Self::Dropped];

    /// Returns the value stored in tables.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Released => "released",
            Self::Dropped => "dropped",
        }
    }

    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let found = Self::ALL.into_iter().find(|state| state.as_str() == text);
        found.ok_or_else(|| Invalid::new("invalid_state", "must be one of waiting, released, dropped"))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DeliveryState {
    /// Waiting for its first or next attempt.
    Queued,
    /// Accepted by the mail server or by the webhook.
    Sent,
    /// No further attempt will be made.
    Failed,
    /// Not attempted: nobody was left to be notified, or nothing that they may see.
    Suppressed,
}

impl DeliveryState {
    pub const ALL: [Self; 4] = [Self::Queued, Self::Sent, Self::Failed, Self::Suppressed];

    /// Returns the value stored in tables and sent in API responses.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Sent => "sent",
            Self::Failed => "failed",
            Self::Suppressed => "suppressed",
        }
    }

    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let found = Self::ALL.into_iter().find(|state| state.as_str() == text);
        found.ok_or_else(|| Invalid::new("invalid_state", "must be one of queued, sent, failed, suppressed"))
    }
}

/// What a rule sends at once: one mail per recipient.
#[derive(Clone, Debug, macros::FromRow)]
pub struct AlertMessage {
    pub id: AlertMessageId,
    #[row(column = "rule_id")]
    pub rule: AlertRuleId,
    pub kind: AlertMessageKind,
    pub state: AlertMessageState,
    /// When it is released, if it waits.
    pub send_at: Timestamp,
    pub created_at: Timestamp,
}

/// One of the events that a message is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, macros::FromRow)]
pub struct MessageEvent {
    #[row(column = "firing_id")]
    pub firing: AlertFiringId,
    pub event: AlertEvent,
}

/// One message to one recipient, or one event to one webhook.
#[derive(Clone, Debug, macros::FromRow)]
pub struct AlertDelivery {
    pub id: AlertDeliveryId,
    /// None for a test of a webhook.
    #[row(column = "message_id")]
    pub message: Option<AlertMessageId>,
    /// None if it goes to a webhook, or if the recipient is gone.
    #[row(column = "recipient_id")]
    pub recipient: Option<AlertRecipientId>,
    #[row(column = "webhook_id")]
    pub webhook: Option<WebhookId>,
    /// The firing that is sent to a webhook.
    #[row(column = "firing_id")]
    pub firing: Option<AlertFiringId>,
    /// What is sent to a webhook.
    pub event: Option<AlertEvent>,
    /// The id by which the receiver of a webhook knows the event; it stays the same over retries.
    pub event_id: Option<String>,
    pub state: DeliveryState,
    /// Why it was not sent, or not yet.
    pub reason: Option<String>,
    /// The status of the webhook's last answer.
    pub status_code: Option<i64>,
    pub attempts: i64,
    pub last_attempt_at: Option<Timestamp>,
    pub next_attempt_at: Option<Timestamp>,
    pub sent_at: Option<Timestamp>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_go_both_ways() {
        for event in AlertEvent::ALL {
            assert_eq!(AlertEvent::parse(event.as_str()), Ok(event));
        }
        for kind in AlertMessageKind::ALL {
            assert_eq!(AlertMessageKind::parse(kind.as_str()), Ok(kind));
        }
        for state in AlertMessageState::ALL {
            assert_eq!(AlertMessageState::parse(state.as_str()), Ok(state));
        }
        for state in DeliveryState::ALL {
            assert_eq!(DeliveryState::parse(state.as_str()), Ok(state));
        }
        assert!(AlertEvent::parse("").is_err() && AlertMessageKind::parse("mail").is_err());
        assert!(AlertMessageState::parse("sent").is_err() && DeliveryState::parse("waiting").is_err());
    }
}
