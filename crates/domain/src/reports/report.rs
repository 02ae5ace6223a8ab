//! Reports: documents and tables about a period, made from stored figures.

use crate::{
    Actor, Invalid, MachineId, PersonId, ProjectId, ReportId, ReportScheduleId, SiteReportId, Timestamp,
    UserId, WorksiteId,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ReportKind {
    SiteSafety,
    ProjectSummary,
    Machine,
    /// As a pedestrian and as an operator, side by side.
    Person,
    TagTestCompliance,
    VisitorLog,
    /// Single incursions.
    Incursions,
    Pivot,
    /// A written site report as a document.
    SiteReport,
}

impl ReportKind {
    pub const ALL: [Self; 9] = [
        Self::SiteSafety,
        Self::ProjectSummary,
        Self::Machine,
        Self::Person,
        Self::TagTestCompliance,
        Self::VisitorLog,
        Self::Incursions,
        Self::Pivot,
        Self::SiteReport,
    ];

    /// Returns the value stored in tables and sent in API responses.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::SiteSafety => "site_safety",
            Self::ProjectSummary => "project_summary",
            Self::Machine => "machine",
            Self::Person => "person",
            Self::TagTestCompliance => "tag_test_compliance",
            Self::VisitorLog => "visitor_log",
            Self::Incursions => "incursions",
            Self::Pivot => "pivot",
            Self::SiteReport => "site_report",
        }
    }

    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let found = Self::ALL.into_iter().find(|kind| kind.as_str() == text);
        found.ok_or_else(|| {
            let words = Self::ALL.map(Self::as_str).join(", ");
            Invalid::new("invalid_kind", format!("must be one of {words}"))
        })
    }

    /// Returns the formats that such a report can have, the usual one first.
    pub const fn formats(self) -> &'static [ReportFormat] {
        match self {
            Self::SiteSafety | Self::Machine | Self::Person | Self::SiteReport => {
                &[ReportFormat::Pdf, ReportFormat::Json]
            }
            Self::ProjectSummary
            | Self::TagTestCompliance
            | Self::VisitorLog
            | Self::Incursions
            | Self::Pivot => &ReportFormat::ALL,
        }
    }

    /// Whether its files name people, if the author may see names.
    pub const fn can_name_people(self) -> bool {
        !matches!(self, Self::ProjectSummary)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ReportFormat {
    Pdf,
    Xlsx,
    Csv,
    Json,
}

impl ReportFormat {
    /// The usual one first.
    pub const ALL: [Self; 4] = [Self::Pdf, Self::Xlsx, Self::Csv, Self::Json];

    /// Returns the name, which is also the file extension.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pdf => "pdf",
            Self::Xlsx => "xlsx",
            Self::Csv => "csv",
            Self::Json => "json",
        }
    }

    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let found = Self::ALL.into_iter().find(|format| format.as_str() == text);
        found.ok_or_else(|| Invalid::new("invalid_format", "must be one of pdf, xlsx, csv, json"))
    }

    pub const fn content_type(self) -> &'static str {
        match self {
            Self::Pdf => "application/pdf",
            Self::Xlsx => "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
            Self::Csv => "text/csv; charset=utf-8; header=present",
            Self::Json => "application/json",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReportState {
    /// Waiting for its job to start.
    Queued,
    Running,
    /// The figures are stored, and every format can be downloaded.
    Ready,
    /// There are no figures, and no further attempt will be made.
    Failed,
    /// The figures were deleted when their retention ended.
    Expired,
}

impl ReportState {
    pub const ALL: [Self; 5] = [Self::Queued, Self::Running, Self::Ready, Self::Failed, Self::Expired];

    /// Returns the value stored in tables and sent in API responses.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Ready => "ready",
            Self::Failed => "failed",
            Self::Expired => "expired",
        }
    }

    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let found = Self::ALL.into_iter().find(|state| state.as_str() == text);
        let words = "must be one of queued, running, ready, failed, expired";
        found.ok_or_else(|| Invalid::new("invalid_state", words))
    }

    pub const fn is_unfinished(self) -> bool {
        matches!(self, Self::Queued | Self::Running)
    }
}

/// The size of the pages of a PDF.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Paper {
    A4,
    Letter,
}

impl Paper {
    pub const ALL: [Self; 2] = [Self::A4, Self::Letter];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::A4 => "a4",
            Self::Letter => "letter",
        }
    }

    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let found = Self::ALL.into_iter().find(|paper| paper.as_str() == text);
        found.ok_or_else(|| Invalid::new("invalid_paper", "must be a4 or letter"))
    }
}

/// What a report is about. Each narrows it; a kind requires its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, macros::FromRow)]
pub struct ReportSubject {
    #[row(column = "project_id")]
    pub project: Option<ProjectId>,
    #[row(column = "worksite_id")]
    pub worksite: Option<WorksiteId>,
    #[row(column = "machine_id")]
    pub machine: Option<MachineId>,
    #[row(column = "person_id")]
    pub person: Option<PersonId>,
}

#[derive(Clone, Debug, macros::FromRow)]
pub struct Report {
    pub id: ReportId,
    #[row(columns("author_kind", "author_id", "author_name"))]
    pub author: Actor,
    pub kind: ReportKind,
    /// The format that was requested.
    pub format: ReportFormat,
    #[row(flatten)]
    pub subject: ReportSubject,
    #[row(column = "schedule_id")]
    pub schedule: Option<ReportScheduleId>,
    #[row(column = "site_report_id")]
    pub site_report: Option<SiteReportId>,
    /// The request as JSON.
    pub request: String,
    /// Beginning and end of the period, in the form in which they are shown.
    #[row(column = "from_cut")]
    pub from: String,
    #[row(column = "to_cut")]
    pub to: String,
    pub state: ReportState,
    /// The reason why there is no file, or no longer one.
    pub reason: Option<String>,
    pub percent: i64,
    /// Changes each time it is begun, and when what was read so far must not be used.
    pub generation: i64,
    /// True if the files contain names of people.
    pub names_people: bool,
    /// Sequence number of the brand's last change that the figures include.
    pub seq: Option<i64>,
    /// The time zones of the days in it, as a JSON list.
    pub time_zones: Option<String>,
    /// Version of the program that computed the figures.
    pub program: Option<String>,
    pub figures_at: Option<Timestamp>,
    /// The file in the requested format, while it exists.
    #[row(flatten)]
    pub content: Option<ReportContent>,
    /// Rises with every change; the `ETag`.
    pub version: i64,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub finished_at: Option<Timestamp>,
    pub expires_at: Option<Timestamp>,
}

/// An object of a report: its figures or a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportContent {
    pub size_bytes: i64,
    pub sha256: Vec<u8>,
    /// Identifies the valid upload; part of the object's name.
    pub upload: String,
}

/// Filters of a list of reports. Empty lists and `None` do not restrict.
#[derive(Clone, Debug, Default)]
pub struct ReportFilter {
    pub ids: Option<Vec<i64>>,
    pub kinds: Vec<ReportKind>,
    pub states: Vec<ReportState>,
    pub subject: ReportSubject,
    pub schedule: Option<ReportScheduleId>,
    /// Only those of this author.
    pub author: Option<UserId>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_go_both_ways() {
        for kind in ReportKind::ALL {
            assert_eq!(ReportKind::parse(kind.as_str()), Ok(kind));
            assert_eq!(kind.formats().first(), Some(&ReportFormat::Pdf), "{kind:?}");
        }
        for format in ReportFormat::ALL {
            assert_eq!(ReportFormat::parse(format.as_str()), Ok(format));
        }
        for state in ReportState::ALL {
            assert_eq!(ReportState::parse(state.as_str()), Ok(state));
        }
        assert_eq!(Paper::ALL.map(|paper| Paper::parse(paper.as_str())), Paper::ALL.map(Ok));
        assert!(ReportKind::parse("people").is_err() && ReportFormat::parse("doc").is_err());
        assert!(ReportState::parse("done").is_err() && Paper::parse("A4").is_err());
    }
}
