//! Exports: tables that were asked for as files.

use crate::Invalid;

/// What an export is a table of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ExportKind {
    /// Measures by rows and columns.
    Pivot,
    /// Incursions, one by one.
    Incursions,
}

impl ExportKind {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Pivot, Self::Incursions];

    /// The word for it, in tables and answers alike.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pivot => "pivot",
            Self::Incursions => "incursions",
        }
    }

    /// Reads the word.
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let found = Self::ALL.into_iter().find(|kind| kind.as_str() == text);
        found.ok_or_else(|| Invalid::new("invalid_kind", "must be one of pivot, incursions"))
    }
}

/// Where an export stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ExportState {
    /// It waits for its turn.
    Queued,
    /// It is being written.
    Running,
    /// Its file is there.
    Done,
    /// There is no file, and there will be none.
    Failed,
    /// Its file was there, and is gone.
    Expired,
}

impl ExportState {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Queued, Self::Running, Self::Done, Self::Failed, Self::Expired];

    /// The word for it, in tables and answers alike.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Expired => "expired",
        }
    }

    /// Reads the word.
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
