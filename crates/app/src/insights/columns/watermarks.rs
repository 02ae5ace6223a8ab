//! How far columns have come.

use domain::Timestamp;
use store::FactState;

/// The changes that the columns of a brand include.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Watermarks {
    /// Incursions up to this sequence number.
    pub incursions_seq: i64,
    /// Runtime up to this sequence number.
    pub runtime_seq: i64,
    /// Incursions that started earlier are left out, in microseconds since 1970.
    pub incursions_kept_from: Option<i64>,
    /// Runtime that started earlier is left out, in microseconds since 1970.
    pub runtime_kept_from: Option<i64>,
    /// The timeline of the server that the changes were read from.
    pub timeline: i64,
    /// Whether every change was on a synchronous standby as well, so that a successor of that server has it.
    pub is_synchronous: bool,
}

impl Watermarks {
    /// Whether the columns may include changes that the database does not have any more: it is behind them, or it continues on another
    /// timeline, which may have begun before the last of them. Their numbers may belong to other changes by now.
    pub fn are_ahead_of(&self, last_seq: i64, timeline: i64) -> bool {
        self.incursions_seq.max(self.runtime_seq) > last_seq
            || (self.timeline != timeline && !self.is_synchronous)
    }

    /// Whether retention has become longer since. The columns may lack facts that count now, or have facts that were deleted before, of
    /// which there is no trace any more.
    pub fn are_of_shorter_retention(&self, state: &FactState) -> bool {
        // They may have passed the change just before they learned of it. None is less than every time.
        self.incursions_seq.min(self.runtime_seq) < state.copies_since
            || self.incursions_kept_from > state.incursions_kept_from.map(Timestamp::micros)
            || self.runtime_kept_from > state.runtime_kept_from.map(Timestamp::micros)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_ahead_of_a_database_that_went_back() {
        let watermarks = |timeline, is_synchronous| Watermarks {
            incursions_seq: 10,
            runtime_seq: 12,
            incursions_kept_from: None,
            runtime_kept_from: None,
            timeline,
            is_synchronous,
        };
        assert!(!watermarks(1, false).are_ahead_of(12, 1) && watermarks(1, false).are_ahead_of(11, 1));
        // Without a synchronous standby, the twelve changes of another timeline may be others.
        assert!(watermarks(1, false).are_ahead_of(12, 2) && watermarks(1, false).are_ahead_of(500, 2));
        assert!(!watermarks(1, true).are_ahead_of(12, 2) && watermarks(1, true).are_ahead_of(11, 2));
    }

    #[test]
    fn columns_are_outdated_after_retention_became_longer() {
        let watermarks = |kept_from| Watermarks {
            incursions_seq: 10,
            runtime_seq: 10,
            incursions_kept_from: kept_from,
            runtime_kept_from: Some(3),
            timeline: 1,
            is_synchronous: false,
        };
        let state = |kept_from: Option<i64>| FactState {
            last_seq: 10,
            registry_version: 1,
            is_synchronous: false,
            incursions_kept_from: kept_from.map(Timestamp::from_micros),
            runtime_kept_from: Some(Timestamp::from_micros(3)),
            copies_since: 10,
        };
        for (own, now, is_outdated) in [
            (None, None, false),
            (None, Some(5), false),
            (Some(5), Some(5), false),
            (Some(5), Some(6), false),
            (Some(5), Some(4), true),
            (Some(5), None, true),
        ] {
            let found = watermarks(own).are_of_shorter_retention(&state(now));
            assert_eq!(found, is_outdated, "{own:?} {now:?}");
        }
        let no_runtime = FactState { runtime_kept_from: None, ..state(None) };
        assert!(watermarks(None).are_of_shorter_retention(&no_runtime));
        let later = FactState { copies_since: 11, ..state(None) };
        assert!(watermarks(None).are_of_shorter_retention(&later));
    }
}
