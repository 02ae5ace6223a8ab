//! Exports: tables that are written to files in the background.

use crate::Invalid;

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
