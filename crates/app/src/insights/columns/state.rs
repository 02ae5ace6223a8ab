//! The state of loaded columns: a snapshot and the changes that it includes.

use cube::Snapshot;

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
}

/// The content of a save.
#[derive(Clone, Debug)]
pub(crate) struct ColumnsState {
    pub snapshot: Snapshot,
    pub watermarks: Watermarks,
}
