//! The timeline of a base station: entries of all kinds in one order.

use std::fmt;

use crate::Invalid;

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
