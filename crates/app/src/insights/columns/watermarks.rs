//! How far columns have come.

/// The changes that the columns of a brand include.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Watermarks {
    /// Incursions up to this sequence number.
    pub incursions_seq: i64,
    /// Runtime up to this sequence number.
    pub runtime_seq: i64,
    /// Incursions that started earlier have been deleted, in microseconds since 1970.
    pub incursions_kept_from: Option<i64>,
    /// Runtime that started earlier has been deleted, in microseconds since 1970.
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
}
