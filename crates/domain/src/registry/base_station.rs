//! Base stations and their health, derived from contacts and faults.

use serde::Serialize;

use crate::{BaseStationId, Invalid, MachineId, RegistryRows, Span, Timestamp, TokenSummary};

/// The status of a base station. If several apply, the first in this order counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum StationStatus {
    NeverSeen,
    /// Its last status report contained faults.
    Faulty,
    /// It has not been in contact for as long as the brand's silence limit.
    Silent,
    /// It is in contact and has no faults.
    Online,
}

impl StationStatus {
    /// All statuses, in order of precedence.
    pub const ALL: [Self; 4] = [Self::NeverSeen, Self::Faulty, Self::Silent, Self::Online];

    /// Returns the value used in filters and API responses.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NeverSeen => "never_seen",
            Self::Faulty => "faulty",
            Self::Silent => "silent",
            Self::Online => "online",
        }
    }

    pub fn parse(text: &str) -> Result<Self, Invalid> {
        Self::ALL.into_iter().find(|status| status.as_str() == text).ok_or_else(|| {
            Invalid::new("invalid_status", "must be one of never_seen, faulty, silent, online")
        })
    }
}

/// The stored contact times and faults of a base station.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heartbeat {
    pub created_at: Timestamp,
    pub last_seen_at: Option<Timestamp>,
    /// Time of the last status report. Not every contact includes one.
    pub status_reported_at: Option<Timestamp>,
    /// The first contact since it was last never seen, silent or faulty.
    pub online_since: Option<Timestamp>,
    /// The contact that first reported faults, while there are any.
    pub faulty_since: Option<Timestamp>,
    /// The faults of the last status report.
    pub faults: Vec<String>,
}

/// The status of a base station with its start and reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StationHealth {
    pub status: StationStatus,
    pub since: Option<Timestamp>,
    /// A sentence for people.
    pub reason: String,
}

impl Heartbeat {
    /// Derives the health of a station. Lists apply the same rules in SQL, with [`silence_cutoff`] as the limit.
    pub fn health(&self, silence_limit_hours: i64, now: Timestamp) -> StationHealth {
        let Some(last_seen_at) = self.last_seen_at else {
            return StationHealth {
                status: StationStatus::NeverSeen,
                since: Some(self.created_at),
                reason: "There has been no contact since the station was registered.".to_owned(),
            };
        };
        if !self.faults.is_empty() {
            let (s, faults) = (if self.faults.len() == 1 { "" } else { "s" }, self.faults.join(", "));
            return StationHealth {
                status: StationStatus::Faulty,
                since: self.faulty_since,
                reason: format!("The station reported {} fault{s}: {faults}.", self.faults.len()),
            };
        }
        if last_seen_at <= silence_cutoff(silence_limit_hours, now) {
            return StationHealth {
                status: StationStatus::Silent,
                since: Some(last_seen_at + hours(silence_limit_hours)),
                reason: format!(
                    "The last contact was at {last_seen_at}; after {silence_limit_hours} h without contact a station is silent."
                ),
            };
        }
        StationHealth {
            status: StationStatus::Online,
            since: self.online_since,
            reason: format!("The last contact was at {last_seen_at}, without faults."),
        }
    }

    /// Returns the heartbeat after a contact, with `faults` if the contact included a status report. Contacts may arrive late
    /// and in any order, so data older than what is stored changes nothing.
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

/// Returns the time at or before which the last contact of a silent station lies.
pub fn silence_cutoff(silence_limit_hours: i64, now: Timestamp) -> Timestamp {
    now - hours(silence_limit_hours)
}

fn hours(hours: i64) -> Span {
    Span::minutes(hours.saturating_mul(60))
}

#[derive(Clone, Debug, macros::FromRow)]
pub struct BaseStation {
    pub id: BaseStationId,
    /// The printed serial; unique in the brand, ignoring case.
    pub serial: String,
    pub name: Option<String>,
    /// Firmware version, as last reported.
    pub firmware: Option<String>,
    /// Names of its cameras.
    pub cameras: Vec<String>,
    /// The machine it is installed on now, with its name and the start of the installation.
    #[row(columns("machine_id", "machine_name", "installed_since"))]
    pub machine: Option<(MachineId, String, Timestamp)>,
    #[row(flatten)]
    pub heartbeat: Heartbeat,
    /// The live token, if it has one.
    #[row(flatten)]
    pub token: Option<TokenSummary>,
    /// Rises with every change, including changes of its installation and zones; the `ETag`.
    pub version: i64,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    /// The folded serial, by which lists are sorted.
    pub serial_key: String,
}

#[derive(Clone, Debug, Default)]
pub struct BaseStationFilter {
    /// Only stations whose serial or name contains this, ignoring case and accents.
    pub q: Option<String>,
    /// Only stations with one of these statuses; empty means all.
    pub statuses: Vec<StationStatus>,
    /// Only stations that are installed on one of these machines; empty means all.
    pub machines: Vec<MachineId>,
    /// Only installed stations, or only those that are not installed.
    pub installed: Option<bool>,
    /// Only these rows of the table.
    pub rows: RegistryRows,
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
        // A faulty station stays faulty when it falls silent: its faults are the last known state.
        for now in [at(20), at(9999)] {
            assert_eq!(stands(&faulty, now), (StationStatus::Faulty, Some(at(20))));
        }
        let reason = faulty.health(LIMIT_H, at(20)).reason;
        assert_eq!(reason, "The station reported 2 faults: camera_dark, antenna.");
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
        // A contact without a status report does not hide an earlier report that arrives late.
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
