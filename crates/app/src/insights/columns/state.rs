//! The state of loaded columns: a snapshot and the changes that it includes.

use std::sync::Arc;

use cube::Snapshot;

use super::parts::PartSource;
use super::watermarks::Watermarks;

/// The content of a save.
#[derive(Clone, Debug)]
pub(crate) struct ColumnsState {
    pub snapshot: Snapshot,
    pub watermarks: Watermarks,
    /// Where parts that have not been read come from; none if all were built from rows.
    pub source: Option<Arc<PartSource>>,
}
