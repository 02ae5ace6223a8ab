//! Messages to a cab and their delivery.

use serde::Serialize;

use crate::values::text;
use crate::{Actor, BaseStationId, Invalid, MessageId, Span, Timestamp};

/// The text of a message: one line of 1 to 200 characters, trimmed, without control characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageText(String);

impl MessageText {
    pub const MAX_CHARS: usize = 200;

    /// Parses a text and trims it.
    pub fn parse(given: &str) -> Result<Self, Invalid> {
        let given = given.trim();
        if text::is_blank(given) {
            return Err(Invalid::new("required", "must not be empty"));
        }
        text::check(given, Self::MAX_CHARS)?;
        Ok(Self(given.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// How long a message waits for delivery by default.
pub const DEFAULT_LIFETIME: Span = Span::minutes(24 * 60);
/// The longest time a message may wait for delivery.
pub const MAX_LIFETIME: Span = Span::minutes(7 * 24 * 60);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum MessageState {
    /// Waiting for the station to fetch it.
    Queued,
    /// The station has received it.
    Delivered,
    /// It was shown in the cab.
    Displayed,
    /// Someone in the cab confirmed it.
    Acknowledged,
    /// It was not delivered in time.
    Expired,
}

impl MessageState {
    pub const ALL: [Self; 5] =
        [Self::Queued, Self::Delivered, Self::Displayed, Self::Acknowledged, Self::Expired];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Delivered => "delivered",
            Self::Displayed => "displayed",
            Self::Acknowledged => "acknowledged",
            Self::Expired => "expired",
        }
    }
}

/// The times at which a message reached each state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeliveryProgress {
    pub expires_at: Timestamp,
    /// Time at which the station received it.
    pub delivered_at: Option<Timestamp>,
    /// Time at which it was shown in the cab.
    pub displayed_at: Option<Timestamp>,
    /// Time at which someone in the cab confirmed it.
    pub acknowledged_at: Option<Timestamp>,
}

impl DeliveryProgress {
    /// Returns the current state. A delivered message does not expire.
    pub fn state(&self, now: Timestamp) -> MessageState {
        match self {
            Self { acknowledged_at: Some(_), .. } => MessageState::Acknowledged,
            Self { displayed_at: Some(_), .. } => MessageState::Displayed,
            Self { delivered_at: Some(_), .. } => MessageState::Delivered,
            Self { expires_at, .. } if *expires_at <= now => MessageState::Expired,
            _ => MessageState::Queued,
        }
    }

    /// Returns whether it was neither delivered nor expired at a time after it was sent.
    pub fn is_waiting_at(&self, at: Timestamp) -> bool {
        self.expires_at > at && self.delivered_at.is_none_or(|delivered| delivered >= at)
    }
}

/// A text message to a cab, with its sender.
#[derive(Clone, Debug, macros::FromRow)]
pub struct Message {
    pub id: MessageId,
    #[row(column = "base_station_id")]
    pub base_station: BaseStationId,
    #[row(column = "serial")]
    pub station_serial: String,
    /// The text; none for callers who may not see names.
    #[row(column = "body")]
    pub text: Option<String>,
    #[row(columns("sender_kind", "sent_by", "name"))]
    pub sent_by: Actor,
    pub queued_at: Timestamp,
    #[row(flatten)]
    pub progress: DeliveryProgress,
    pub updated_at: Timestamp,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_fits_a_line() {
        assert_eq!(MessageText::parse(" Stop at gate 4 ").unwrap().as_str(), "Stop at gate 4");
        assert_eq!(MessageText::parse(" ").unwrap_err().code, "required");
        assert_eq!(MessageText::parse("a\nb").unwrap_err().code, "control_character");
        assert!(MessageText::parse(&"é".repeat(200)).is_ok());
        assert_eq!(MessageText::parse(&"é".repeat(201)).unwrap_err().code, "too_long");
    }

    #[test]
    fn the_furthest_state_counts_and_only_what_waits_expires() {
        let at = Timestamp::from_seconds;
        let queued = DeliveryProgress {
            expires_at: at(100),
            delivered_at: None,
            displayed_at: None,
            acknowledged_at: None,
        };
        assert_eq!(queued.state(at(99)), MessageState::Queued);
        assert_eq!(queued.state(at(100)), MessageState::Expired);
        let delivered = DeliveryProgress { delivered_at: Some(at(50)), ..queued };
        assert_eq!(delivered.state(at(1_000)), MessageState::Delivered);
        let displayed = DeliveryProgress { displayed_at: Some(at(60)), ..delivered };
        assert_eq!(displayed.state(at(1_000)), MessageState::Displayed);
        let acknowledged = DeliveryProgress { acknowledged_at: Some(at(70)), ..displayed };
        assert_eq!(acknowledged.state(at(1_000)), MessageState::Acknowledged);
    }
}
