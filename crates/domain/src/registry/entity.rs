//! Entities: people and machines, where both are meant.

use serde::Serialize;

use crate::{Invalid, Span, Timestamp};

/// Whether an entity is a person or a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum EntityType {
    /// A person.
    Person,
    /// A machine.
    Machine,
}

impl EntityType {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Person, Self::Machine];

    /// The word for it, in tables and answers alike.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Person => "person",
            Self::Machine => "machine",
        }
    }

    /// Reads the word.
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let found = Self::ALL.into_iter().find(|subject| subject.as_str() == text);
        found.ok_or_else(|| Invalid::new("invalid_entity_type", "must be person or machine"))
    }
}

/// How an entity stands. The first that holds, in the order of [`Activity::ALL`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Activity {
    /// It is out of use.
    Archived,
    /// Its device has said nothing for as long as the brand's silence limit.
    Silent,
    /// It was seen within the last 24 hours.
    Active,
    /// None of these.
    Idle,
}

/// Who was seen for the last time longer ago is not active.
const ACTIVE_WITHIN: Span = Span::minutes(24 * 60);

impl Activity {
    /// All of them, in the order in which they are judged.
    pub const ALL: [Self; 4] = [Self::Archived, Self::Silent, Self::Active, Self::Idle];

    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Archived => "archived",
            Self::Silent => "silent",
            Self::Active => "active",
            Self::Idle => "idle",
        }
    }

    /// Reads the word.
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let found = Self::ALL.into_iter().find(|activity| activity.as_str() == text);
        found.ok_or_else(|| Invalid::new("invalid_activity", "must be one of archived, silent, active, idle"))
    }

    /// How an entity stands: one out of use, whose devices were heard of at these times, none if never, and which was itself
    /// seen for the last time then. One device that is heard of is enough not to be silent.
    pub fn of(
        is_archived: bool,
        devices: &[Option<Timestamp>],
        last_seen_at: Option<Timestamp>,
        silence_cutoff: Timestamp,
        now: Timestamp,
    ) -> Self {
        let heard = devices.iter().flatten().max();
        match () {
            () if is_archived => Self::Archived,
            () if heard.is_some_and(|heard| *heard <= silence_cutoff) => Self::Silent,
            () if last_seen_at.is_some_and(|seen| seen > now - ACTIVE_WITHIN) => Self::Active,
            () => Self::Idle,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(hours: i64) -> Timestamp {
        Timestamp::from_seconds(1_772_366_400) + Span::minutes(hours * 60)
    }

    #[test]
    fn the_first_that_holds_counts() {
        let now = at(0);
        let of = |is_archived, devices: &[Option<Timestamp>], seen: Option<Timestamp>| {
            Activity::of(is_archived, devices, seen, at(-48), now)
        };
        assert_eq!(of(true, &[Some(now)], Some(now)), Activity::Archived);
        assert_eq!(of(false, &[Some(at(-48))], Some(now)), Activity::Silent);
        assert_eq!(of(false, &[Some(at(-48)), Some(at(-47))], Some(at(-23))), Activity::Active);
        assert_eq!(of(false, &[Some(at(-47)), None], Some(at(-24))), Activity::Idle);
        // Never heard of is not silent.
        assert_eq!(of(false, &[None], None), Activity::Idle);
        assert_eq!(of(false, &[], Some(at(-1))), Activity::Active);
    }

    #[test]
    fn words_go_both_ways() {
        for activity in Activity::ALL {
            assert_eq!(Activity::parse(activity.as_str()), Ok(activity));
        }
        for kind in EntityType::ALL {
            assert_eq!(EntityType::parse(kind.as_str()), Ok(kind));
        }
        assert!(Activity::parse("busy").is_err());
    }
}
