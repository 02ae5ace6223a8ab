//! What a node lacks.

/// A node that lacks at most this many changes gets them by their numbers.
const MAX_CATCH_UP: i64 = 1_000_000;

/// What a node lacks that does not follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Lack {
    /// Changes, which it gets by their numbers.
    Changes,
    /// So much that it is emptied and gets all rows.
    Rows,
}

impl Lack {
    /// Returns what a node lacks that holds the changes up to a number.
    pub fn after(seq: i64, last_seq: i64) -> Self {
        if last_seq - seq <= MAX_CATCH_UP { Self::Changes } else { Self::Rows }
    }
}
