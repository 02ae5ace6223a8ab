//! Entities: people and machines under a common type.

use serde::Serialize;

use crate::{Invalid, Span, Timestamp};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum EntityType {
    Person,
    Machine,
}

impl EntityType {
    pub const ALL: [Self; 2] = [Self::Person, Self::Machine];

    /// Returns the value stored in tables and sent in API responses.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Person => "person",
            Self::Machine => "machine",
        }
    }

    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let found = Self::ALL.into_iter().find(|subject| subject.as_str() == text);
        found.ok_or_else(|| Invalid::new("invalid_entity_type", "must be person or machine"))
    }
}

/// The activity of an entity. If several apply, the first in the order of [`Activity::ALL`] counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Activity {
    Archived,
    /// Its devices have not been in contact for as long as the brand's silence limit.
    Silent,
    /// It was seen within the last 24 hours.
    Active,
    /// None of the others.
    Idle,
}

const ACTIVE_WITHIN: Span = Span::minutes(24 * 60);

impl Activity {
    /// All activities, in order of precedence.
    pub const ALL: [Self; 4] = [Self::Archived, Self::Silent, Self::Active, Self::Idle];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Archived => "archived",
            Self::Silent => "silent",
            Self::Active => "active",
            Self::Idle => "idle",
        }
    }

    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let found = Self::ALL.into_iter().find(|activity| activity.as_str() == text);
        found.ok_or_else(|| Invalid::new("invalid_activity", "must be one of archived, silent, active, idle"))
    }

    /// Derives the activity of an entity. `devices` are the last contacts of its devices, `None` for a device that was never
    /// seen; one device in contact is enough for the entity not to be silent.
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
        // A device that was never seen is not silent.
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
