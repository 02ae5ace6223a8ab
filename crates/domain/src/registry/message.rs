//! Text to a cab, and how far it came.

use serde::Serialize;

use crate::values::text;
use crate::{Invalid, Span, Timestamp};

/// What is shown in a cab: 1 to 200 characters in one line, no control characters, no blanks around it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageText(String);

impl MessageText {
    /// The most characters it may have.
    pub const MAX_CHARS: usize = 200;

    /// Reads a text, dropping blanks around it.
    pub fn parse(given: &str) -> Result<Self, Invalid> {
        let given = given.trim();
        if given.is_empty() {
            return Err(Invalid::new("required", "must not be empty"));
        }
        text::check(given, Self::MAX_CHARS)?;
        Ok(Self(given.to_owned()))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// How long a message waits to be delivered unless it says otherwise, and at most.
pub const DEFAULT_LIFETIME: Span = Span::minutes(24 * 60);
/// The longest that a message may wait.
pub const MAX_LIFETIME: Span = Span::minutes(7 * 24 * 60);

/// How far a message came.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum MessageState {
    /// It waits for the station.
    Queued,
    /// The station has it.
    Delivered,
    /// It was shown.
    Displayed,
    /// Someone in the cab confirmed it.
    Acknowledged,
    /// It waited too long.
    Expired,
}

impl MessageState {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::Queued, Self::Delivered, Self::Displayed, Self::Acknowledged, Self::Expired];

    /// The word for it.
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

/// When a message came how far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeliveryProgress {
    /// When it stops waiting.
    pub expires_at: Timestamp,
    /// When the station had it.
    pub delivered_at: Option<Timestamp>,
    /// When it was shown.
    pub displayed_at: Option<Timestamp>,
    /// When someone in the cab confirmed it.
    pub acknowledged_at: Option<Timestamp>,
}

impl DeliveryProgress {
    /// How far it has come by now. One that was delivered does not expire any more.
    pub fn state(&self, now: Timestamp) -> MessageState {
        match self {
            Self { acknowledged_at: Some(_), .. } => MessageState::Acknowledged,
            Self { displayed_at: Some(_), .. } => MessageState::Displayed,
            Self { delivered_at: Some(_), .. } => MessageState::Delivered,
            Self { expires_at, .. } if *expires_at <= now => MessageState::Expired,
            _ => MessageState::Queued,
        }
    }
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
