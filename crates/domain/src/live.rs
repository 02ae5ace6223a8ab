//! What live streams report: changes of facts, the state of base stations, and the progress of work that someone ordered.

use crate::{BaseStationId, MachineId, ProjectId, StationStatus, Timestamp, WorksiteId};

/// The changes of facts within a range of sequence numbers, of one project at one worksite.
#[derive(Clone, Copy, Debug, PartialEq, Eq, macros::FromRow)]
pub struct ChangeCount {
    #[row(column = "project_id")]
    pub project: Option<ProjectId>,
    #[row(column = "worksite_id")]
    pub worksite: Option<WorksiteId>,
    /// Incursions that are new.
    pub added: i64,
    /// Incursions that changed, or left for another worksite or project.
    pub changed: i64,
    /// Pieces of runtime that are new, changed or left.
    pub runtime: i64,
}

/// The changes of facts at one worksite, or at none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SiteChanges {
    pub worksite: Option<WorksiteId>,
    /// Incursions that are new.
    pub added: i64,
    /// Incursions that changed or left.
    pub changed: i64,
    /// Pieces of runtime that are new, changed or left.
    pub runtime: i64,
}

impl SiteChanges {
    /// Adds changes at the same worksite.
    pub fn add(&mut self, count: &ChangeCount) {
        self.added += count.added;
        self.changed += count.changed;
        self.runtime += count.runtime;
    }
}

/// How many base stations have each status.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, macros::FromRow)]
pub struct StatusCounts {
    pub online: i64,
    pub faulty: i64,
    pub silent: i64,
    pub never_seen: i64,
}

impl StatusCounts {
    pub fn add(&mut self, other: &Self) {
        self.online += other.online;
        self.faulty += other.faulty;
        self.silent += other.silent;
        self.never_seen += other.never_seen;
    }
}

/// A base station that is faulty or silent.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StationTrouble {
    pub id: BaseStationId,
    pub serial: String,
    /// The machine that it is installed on.
    pub machine: Option<MachineId>,
    pub status: StationStatus,
    pub since: Option<Timestamp>,
}

/// A kind of work that takes time and that someone ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WorkKind {
    Report,
    Export,
    SiteReport,
}

impl WorkKind {
    pub const ALL: [Self; 3] = [Self::Report, Self::Export, Self::SiteReport];

    /// Returns the word in events.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Report => "report",
            Self::Export => "export",
            Self::SiteReport => "site_report",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }
}

/// How far a report, export or site report is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct WorkProgress {
    pub kind: WorkKind,
    pub id: i64,
    /// The state as its own representation has it.
    pub state: String,
    pub percent: i64,
}
