//! Base stations: how they stand, judged in one place.

use serde::Serialize;

use crate::{Invalid, Span, Timestamp};

/// How a base station stands. The first that holds, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum StationStatus {
    /// It has never been heard of.
    NeverSeen,
    /// It told of faults when it last told how it is.
    Faulty,
    /// It has said nothing for as long as the brand's silence limit.
    Silent,
    /// It is heard of, and well.
    Online,
}

impl StationStatus {
    /// All of them, in the order in which they are judged.
    pub const ALL: [Self; 4] = [Self::NeverSeen, Self::Faulty, Self::Silent, Self::Online];

    /// The word for it, in filters and answers alike.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NeverSeen => "never_seen",
            Self::Faulty => "faulty",
            Self::Silent => "silent",
            Self::Online => "online",
        }
    }

    /// Reads the word.
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        Self::ALL.into_iter().find(|status| status.as_str() == text).ok_or_else(|| {
            Invalid::new("invalid_status", "must be one of never_seen, faulty, silent, online")
        })
    }
}

/// The signs of life of a base station, as they are kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heartbeat {
    /// When it was registered.
    pub created_at: Timestamp,
    /// When it was last heard of.
    pub last_seen_at: Option<Timestamp>,
    /// When it last told how it is, which not every contact does.
    pub status_reported_at: Option<Timestamp>,
    /// The first contact since it was last unheard of, silent or faulty.
    pub online_since: Option<Timestamp>,
    /// The contact that first told of faults, while there are any.
    pub faulty_since: Option<Timestamp>,
    /// The faults it told of.
    pub faults: Vec<String>,
}

/// How a base station stands, since when and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StationHealth {
    /// How it stands.
    pub status: StationStatus,
    /// Since when.
    pub since: Option<Timestamp>,
    /// Why, in a sentence.
    pub reason: String,
}

impl Heartbeat {
    /// How a station with these signs stands. This is the one place that decides; lists ask the same of rows, with
    /// [`silent_from`] as the limit.
    pub fn health(&self, silence_limit_hours: i64, now: Timestamp) -> StationHealth {
        let Some(last_seen_at) = self.last_seen_at else {
            return StationHealth {
                status: StationStatus::NeverSeen,
                since: Some(self.created_at),
                reason: "It has not been heard of since it was registered.".to_owned(),
            };
        };
        if !self.faults.is_empty() {
            let (s, faults) = (if self.faults.len() == 1 { "" } else { "s" }, self.faults.join(", "));
            return StationHealth {
                status: StationStatus::Faulty,
                since: self.faulty_since,
                reason: format!("It told of {} fault{s}: {faults}.", self.faults.len()),
            };
        }
        if last_seen_at <= silence_cutoff(silence_limit_hours, now) {
            return StationHealth {
                status: StationStatus::Silent,
                since: Some(last_seen_at + hours(silence_limit_hours)),
                reason: format!(
                    "It was last heard of at {last_seen_at}; a station that says nothing for {silence_limit_hours} h is silent."
                ),
            };
        }
        StationHealth {
            status: StationStatus::Online,
            since: self.online_since,
            reason: format!("It was last heard of at {last_seen_at}, without faults."),
        }
    }

    /// The signs after a contact; `faults` if it told how the station is. What is older than what is known changes
    /// nothing of it: contacts come late and in any order.
    pub fn after_contact(
        mut self,
        at: Timestamp,
        faults: Option<&[String]>,
        silence_limit_hours: i64,
    ) -> Self {
        let was_silent = self.last_seen_at.is_none_or(|before| before + hours(silence_limit_hours) <= at);
        if was_silent {
            self.online_since = Some(at);
        }
        self.last_seen_at = Some(self.last_seen_at.map_or(at, |before| before.max(at)));
        if let Some(faults) = faults.filter(|_| self.status_reported_at.is_none_or(|before| before <= at)) {
            if !self.faults.is_empty() && faults.is_empty() {
                self.online_since = Some(at);
            }
            self.faulty_since = if faults.is_empty() { None } else { self.faulty_since.or(Some(at)) };
            self.faults = faults.to_vec();
            self.status_reported_at = Some(at);
        }
        self
    }
}

/// A station that was last heard of then or before is silent now.
pub fn silence_cutoff(silence_limit_hours: i64, now: Timestamp) -> Timestamp {
    now - hours(silence_limit_hours)
}

fn hours(hours: i64) -> Span {
    Span::minutes(hours.saturating_mul(60))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT_H: i64 = 24;

    fn at(minutes: i64) -> Timestamp {
        Timestamp::from_seconds(1_772_366_430) + Span::minutes(minutes)
    }

    fn new() -> Heartbeat {
        Heartbeat {
            created_at: at(0),
            last_seen_at: None,
            status_reported_at: None,
            online_since: None,
            faulty_since: None,
            faults: Vec::new(),
        }
    }

    fn stands(signs: &Heartbeat, now: Timestamp) -> (StationStatus, Option<Timestamp>) {
        let standing = signs.health(LIMIT_H, now);
        (standing.status, standing.since)
    }

    #[test]
    fn the_first_that_holds_is_the_status() {
        assert_eq!(stands(&new(), at(9999)), (StationStatus::NeverSeen, Some(at(0))));
        let seen = new().after_contact(at(10), None, LIMIT_H);
        assert_eq!(stands(&seen, at(10)), (StationStatus::Online, Some(at(10))));
        let faults = ["camera_dark".to_owned(), "antenna".to_owned()];
        let faulty = seen.clone().after_contact(at(20), Some(&faults), LIMIT_H);
        // Even when it has been silent since: its faults are the last that is known of it.
        for now in [at(20), at(9999)] {
            assert_eq!(stands(&faulty, now), (StationStatus::Faulty, Some(at(20))));
        }
        let reason = faulty.health(LIMIT_H, at(20)).reason;
        assert_eq!(reason, "It told of 2 faults: camera_dark, antenna.");
    }

    #[test]
    fn silence_begins_at_the_limit_to_the_microsecond() {
        let seen = new().after_contact(at(0), None, LIMIT_H);
        let limit = at(24 * 60);
        let before = Timestamp::from_micros(limit.micros() - 1);
        assert_eq!(stands(&seen, before), (StationStatus::Online, Some(at(0))));
        assert_eq!(stands(&seen, limit), (StationStatus::Silent, Some(limit)));
        assert_eq!(stands(&seen, at(9999)), (StationStatus::Silent, Some(limit)));
        assert_eq!(silence_cutoff(LIMIT_H, limit), at(0));
    }

    #[test]
    fn online_begins_with_the_first_contact_after_silence_or_faults() {
        let seen = new().after_contact(at(0), None, LIMIT_H).after_contact(at(60), None, LIMIT_H);
        assert_eq!(stands(&seen, at(61)), (StationStatus::Online, Some(at(0))));
        let again = seen.after_contact(at(60 + 24 * 60), None, LIMIT_H);
        assert_eq!(stands(&again, at(60 + 24 * 60)), (StationStatus::Online, Some(at(60 + 24 * 60))));
        let faults = ["x".to_owned()];
        let mended =
            again.after_contact(at(2000), Some(&faults), LIMIT_H).after_contact(at(2100), None, LIMIT_H);
        assert_eq!(stands(&mended, at(2100)), (StationStatus::Faulty, Some(at(2000))));
        let mended = mended.after_contact(at(2200), Some(&[]), LIMIT_H);
        assert_eq!(stands(&mended, at(2200)), (StationStatus::Online, Some(at(2200))));
    }

    #[test]
    fn what_comes_late_does_not_undo_what_is_known() {
        let faults = ["x".to_owned()];
        let known = new().after_contact(at(20), Some(&[]), LIMIT_H).after_contact(at(30), None, LIMIT_H);
        assert_eq!(known.clone().after_contact(at(10), Some(&faults), LIMIT_H), known);
        // A contact that told nothing does not hide what came before it, however late that comes.
        let late = known.after_contact(at(25), Some(&faults), LIMIT_H);
        assert_eq!((late.last_seen_at, late.faulty_since), (Some(at(30)), Some(at(25))));
    }

    #[test]
    fn words_are_read_back() {
        for status in StationStatus::ALL {
            assert_eq!(StationStatus::parse(status.as_str()), Ok(status));
        }
        assert!(StationStatus::parse("well").is_err());
    }
}
