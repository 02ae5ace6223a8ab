//! Entities: people and machines under a common type.

use serde::Serialize;

use crate::{Invalid, ProjectId, Span, Timestamp, WorksiteId};

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

/// A tag that is worn now, or a base station that is installed now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntityDevice {
    /// The id of a tag or of a base station.
    pub id: i64,
    pub serial: String,
    pub last_seen_at: Option<Timestamp>,
}

/// A person or a machine.
#[derive(Clone, Debug)]
pub struct Entity {
    pub entity_type: EntityType,
    pub id: i64,
    pub name: String,
    /// A `PersonKind` or a `MachineKind`, as text.
    pub kind: String,
    pub archived_at: Option<Timestamp>,
    /// The devices that it has now.
    pub devices: Vec<EntityDevice>,
    pub last_seen_at: Option<Timestamp>,
    /// The worksite of a machine now, with its name and project.
    pub worksite: Option<(WorksiteId, String, Option<ProjectId>)>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkKind {
    /// A tag that a person wears.
    Tag,
    /// A base station on a machine.
    BaseStation,
    /// A worksite that a machine is at.
    Worksite,
}

impl LinkKind {
    pub const ALL: [Self; 3] = [Self::Tag, Self::BaseStation, Self::Worksite];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Tag => "tag",
            Self::BaseStation => "base_station",
            Self::Worksite => "worksite",
        }
    }

    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let found = Self::ALL.into_iter().find(|kind| kind.as_str() == text);
        found.ok_or_else(|| Invalid::new("invalid_link", "must be tag, base_station or worksite"))
    }
}

/// A dated link of a person or machine.
#[derive(Clone, Debug, PartialEq, Eq, macros::FromRow)]
pub struct EntityLink {
    pub kind: LinkKind,
    /// The id of the tag, base station or worksite.
    pub id: i64,
    /// The serial, or the name of a worksite.
    pub label: String,
    #[row(column = "from_at")]
    pub from: Timestamp,
    /// The end, exclusive; none while the link still holds.
    #[row(column = "to_at")]
    pub to: Option<Timestamp>,
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
