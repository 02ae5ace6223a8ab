//! Exports: tables that are written to files in the background.

use crate::{ExportId, Invalid, Timestamp, UserId};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ExportKind {
    /// Measures by rows and columns.
    Pivot,
    /// A list of incursions.
    Incursions,
}

impl ExportKind {
    pub const ALL: [Self; 2] = [Self::Pivot, Self::Incursions];

    /// Returns the value stored in tables and sent in API responses.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pivot => "pivot",
            Self::Incursions => "incursions",
        }
    }

    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let found = Self::ALL.into_iter().find(|kind| kind.as_str() == text);
        found.ok_or_else(|| Invalid::new("invalid_kind", "must be one of pivot, incursions"))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ExportState {
    /// Waiting for its job to start.
    Queued,
    /// The file is being written.
    Running,
    /// The file can be downloaded.
    Done,
    /// No file was written, and no further attempt will be made.
    Failed,
    /// The file was deleted when its retention ended.
    Expired,
}

impl ExportState {
    pub const ALL: [Self; 5] = [Self::Queued, Self::Running, Self::Done, Self::Failed, Self::Expired];

    /// Returns the value stored in tables and sent in API responses.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Expired => "expired",
        }
    }

    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let found = Self::ALL.into_iter().find(|state| state.as_str() == text);
        let words = "must be one of queued, running, done, failed, expired";
        found.ok_or_else(|| Invalid::new("invalid_state", words))
    }
}

#[derive(Clone, Debug, macros::FromRow)]
pub struct Export {
    pub id: ExportId,
    /// The user who requested it; nobody else sees it.
    #[row(column = "user_id")]
    pub user: UserId,
    pub kind: ExportKind,
    /// File format, such as `csv`.
    pub format: String,
    /// The request as JSON.
    pub request: String,
    pub state: ExportState,
    /// The reason why there is no file, or no longer one.
    pub reason: Option<String>,
    /// Number of rows to write, once that is known.
    pub rows_expected: Option<i64>,
    /// Number of rows written.
    pub rows_done: i64,
    /// Sequence number of the brand's last change that it includes.
    pub seq: Option<i64>,
    /// Beginning of the period, in the form in which it is shown.
    #[row(column = "from_cut")]
    pub from: String,
    /// End of the period, in the form in which it is shown.
    #[row(column = "to_cut")]
    pub to: String,
    /// The projects visible to the user when it was made, as a JSON list; none means all.
    pub projects: Option<String>,
    /// True if the file contains names of people.
    pub names_people: bool,
    pub file_name: String,
    /// The file, while it exists.
    #[row(flatten)]
    pub content: Option<ExportContent>,
    pub created_at: Timestamp,
    /// Time of the last change, also of its progress.
    pub updated_at: Timestamp,
    /// Time at which it was completed or failed.
    pub finished_at: Option<Timestamp>,
    /// Time at which the file is deleted.
    pub expires_at: Option<Timestamp>,
}

impl Export {
    /// Returns the progress in percent. 100 is reached only when the file is stored.
    pub fn percent(&self) -> i64 {
        percent_done(self.state, self.rows_done, self.rows_expected)
    }
}

/// Returns the progress of an export in percent. 100 is reached only when the file is stored.
pub fn percent_done(state: ExportState, rows_done: i64, rows_expected: Option<i64>) -> i64 {
    match (state, rows_expected) {
        (ExportState::Done | ExportState::Expired, _) => 100,
        (_, Some(expected)) if expected > 0 => (rows_done * 100 / expected).clamp(0, 99),
        _ => 0,
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportContent {
    pub size_bytes: i64,
    pub sha256: Vec<u8>,
    /// Identifies the valid upload; part of the object's name.
    pub upload: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_go_both_ways() {
        for kind in ExportKind::ALL {
            assert_eq!(ExportKind::parse(kind.as_str()), Ok(kind));
        }
        for state in ExportState::ALL {
            assert_eq!(ExportState::parse(state.as_str()), Ok(state));
        }
        assert!(ExportKind::parse("people").is_err() && ExportState::parse("ready").is_err());
    }
}
