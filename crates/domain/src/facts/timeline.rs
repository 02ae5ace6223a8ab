//! The timeline of a base station: entries of all kinds in one order.

use std::fmt;

use crate::event::Severity;
use crate::message::DeliveryProgress;
use crate::{
    Actor, ClipId, ClipState, DeviceEventId, IncursionId, Invalid, MachineId, MessageId, PersonName,
    RuntimePieceId, TagId, Timestamp, WorksiteId,
};

/// The kind of a timeline entry. Entries of the same time are ordered by kind, in the order of declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TimelineKind {
    Incursion,
    Alarm,
    Log,
    Status,
    TagBattery,
    TagTest,
    Message,
    VideoClip,
    Runtime,
}

impl TimelineKind {
    pub const ALL: [Self; 9] = [
        Self::Incursion,
        Self::Alarm,
        Self::Log,
        Self::Status,
        Self::TagBattery,
        Self::TagTest,
        Self::Message,
        Self::VideoClip,
        Self::Runtime,
    ];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Incursion => "incursion",
            Self::Alarm => "alarm",
            Self::Log => "log",
            Self::Status => "status",
            Self::TagBattery => "tag_battery",
            Self::TagTest => "tag_test",
            Self::Message => "message",
            Self::VideoClip => "video_clip",
            Self::Runtime => "runtime",
        }
    }

    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let found = Self::ALL.into_iter().find(|kind| kind.as_str() == text);
        found.ok_or_else(|| {
            let words = Self::ALL.map(Self::as_str).join(", ");
            Invalid::new("invalid_kind", format!("must be one of {words}"))
        })
    }
}

/// Identifies an entry within its brand; written as `incursion-31`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TimelineId {
    pub kind: TimelineKind,
    /// The id of the record, in the table of its kind.
    pub id: i64,
}

impl TimelineId {
    /// Parses exactly what [`fmt::Display`] writes; `None` for anything else.
    pub fn parse(text: &str) -> Option<Self> {
        let (kind, id) = text.rsplit_once('-')?;
        let id = Self { kind: TimelineKind::parse(kind).ok()?, id: id.parse().ok()? };
        (id.to_string() == text).then_some(id)
    }
}

impl fmt::Display for TimelineId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.kind.as_str(), self.id)
    }
}

/// An event that a station reported: an alarm, a log entry, a status, a tag battery or a tag test. `D` is a JSON value of a type that
/// this crate does not know.
#[derive(Clone, Debug, macros::FromRow)]
pub struct DeviceEvent<D> {
    pub id: DeviceEventId,
    /// Time of the event by the station's clock.
    pub at: Timestamp,
    /// Machine-readable code of an alarm or log entry.
    pub code: Option<String>,
    /// Severity of an alarm or log entry.
    pub severity: Option<Severity>,
    /// Human-readable text of an alarm or log entry.
    pub text: Option<String>,
    /// The tag of a battery report or tag test, with its serial.
    #[row(columns("tag_id", "tag_serial"))]
    pub tag: Option<(TagId, String)>,
    /// All other fields of the event.
    pub details: D,
    /// Time at which the server received the event.
    pub received_at: Timestamp,
}

/// A text message to a cab.
#[derive(Clone, Debug, macros::FromRow)]
pub struct StationMessage {
    pub id: MessageId,
    /// The text; none for callers who may not see names.
    pub body: Option<String>,
    #[row(columns("user_kind", "sent_by", "user_name"))]
    pub sent_by: Actor,
    pub queued_at: Timestamp,
    pub expires_at: Timestamp,
    /// Time at which the station received it.
    pub delivered_at: Option<Timestamp>,
    /// Time at which it was shown in the cab.
    pub displayed_at: Option<Timestamp>,
    /// Time at which the operator confirmed it.
    pub acknowledged_at: Option<Timestamp>,
}

impl StationMessage {
    pub fn progress(&self) -> DeliveryProgress {
        DeliveryProgress {
            expires_at: self.expires_at,
            delivered_at: self.delivered_at,
            displayed_at: self.displayed_at,
            acknowledged_at: self.acknowledged_at,
        }
    }
}

/// A requested video clip.
#[derive(Clone, Debug, macros::FromRow)]
pub struct StationClip {
    pub id: ClipId,
    /// The incursion for which it was requested, if any.
    #[row(column = "incursion_id")]
    pub incursion: Option<IncursionId>,
    pub camera: String,
    #[row(column = "from_at")]
    pub from: Timestamp,
    #[row(column = "to_at")]
    pub to: Timestamp,
    pub state: ClipState,
    /// The reason why it failed.
    pub reason: Option<String>,
    #[row(columns("user_kind", "requested_by", "user_name"))]
    pub requested_by: Actor,
    #[row(column = "created_at")]
    pub requested_at: Timestamp,
}

/// A stretch of runtime within one local hour and one set of links.
#[derive(Clone, Debug, macros::FromRow)]
pub struct StationRuntime {
    pub id: RuntimePieceId,
    pub started_at: Timestamp,
    pub ended_at: Timestamp,
    #[row(columns("operator_id", "operator_name", "operator_kind"))]
    pub operator: Option<PersonName>,
    #[row(columns("machine_id", "machine_name"))]
    pub machine: Option<(MachineId, String)>,
    #[row(columns("worksite_id", "worksite_name"))]
    pub worksite: Option<(WorksiteId, String)>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_go_both_ways_and_in_no_other_spelling() {
        for kind in TimelineKind::ALL {
            let id = TimelineId { kind, id: 31 };
            assert_eq!(TimelineId::parse(&id.to_string()), Some(id));
        }
        let wrong =
            ["", "-", "31", "incursion", "incursion-", "incursion-031", "incursion-+31", "Log-1", "x-1"];
        for text in wrong {
            assert_eq!(TimelineId::parse(text), None, "{text}");
        }
    }
}
