//! What every list of the registry takes besides its own filters: an order, ids, and the changes since a version of the registry.

use std::fmt;

use crate::{Cursor, PageRequest, Slice, Sorting, Window, WindowPosition};

/// The order in which a list of the registry is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListOrder {
    Sorted(Sorting),
    /// Everything that changed after this version of the registry, the oldest change first, archived records included. 0 starts from
    /// the beginning.
    ChangedAfter(i64),
}

/// The part of a list of the registry that a caller requests.
#[derive(Clone, Debug)]
pub struct ListRequest {
    pub order: ListOrder,
    pub window: Window,
    /// Whether all records that match the filters are counted.
    pub include_total: bool,
}

impl ListRequest {
    /// A request for a page of a list that is read from its beginning to its end.
    pub fn of_page(order: ListOrder, page: &PageRequest, include_total: bool) -> Self {
        let position = page.after.clone().map_or(WindowPosition::Start, WindowPosition::After);
        Self { order, window: Window { size: page.limit, position }, include_total }
    }
}

/// A part of a list of the registry.
#[derive(Clone, Debug)]
pub struct Listing<T> {
    pub rows: Vec<T>,
    /// Cursor of the previous page, or none on the first page.
    pub previous: Option<Cursor>,
    /// Cursor of the next page, or none on the last page.
    pub next: Option<Cursor>,
    /// The number of all records that match the filters, if it was requested.
    pub total: Option<i64>,
    /// Present if the changes after a version were requested.
    pub changes: Option<RegistryChanges>,
}

impl<T> Listing<T> {
    pub fn new(slice: Slice<T>, total: Option<i64>, changes: Option<RegistryChanges>) -> Self {
        Self { rows: slice.rows, previous: slice.previous, next: slice.next, total, changes }
    }

    /// Converts the rows.
    pub fn map<U>(self, shape: impl FnMut(T) -> U) -> Listing<U> {
        let Self { rows, previous, next, total, changes } = self;
        Listing { rows: rows.into_iter().map(shape).collect(), previous, next, total, changes }
    }
}

/// How far a page of changes reaches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegistryChanges {
    /// The version from which to continue once the last page has been read.
    pub version: i64,
    /// Ids of records that were deleted, or left the projects of a restricted caller; none before all rows have been returned. If there
    /// are many, further pages without rows have the rest.
    pub gone: Option<Vec<i64>>,
}

/// The rows of a registry table that a list covers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RegistryRows {
    /// Only rows with these ids; none means all rows.
    pub ids: Option<Vec<i64>>,
    /// Only rows whose last change is in this range, archived ones included.
    pub changed: Option<VersionRange>,
}

/// Versions of the registry.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct VersionRange {
    /// Exclusive.
    pub after: i64,
    /// Inclusive.
    pub up_to: i64,
}

/// Cursors are bound to the text of a filter. The end of the range is left out, because it rises from page to page.
impl fmt::Debug for VersionRange {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "after {}", self.after)
    }
}
