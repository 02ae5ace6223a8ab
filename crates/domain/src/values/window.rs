//! Pages of a list that can be read forwards and backwards: after a row, or before one.

use crate::Cursor;

/// The position of a page in its list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WindowPosition {
    Start,
    /// The page that follows this row.
    After(Cursor),
    /// The page that precedes this row.
    Before(Cursor),
}

/// The page of a list that a caller requests.
#[derive(Clone, Debug)]
pub struct Window {
    /// Maximum number of rows.
    pub size: u16,
    pub position: WindowPosition,
}

/// A page of a list, in the list's order whichever way it was read.
#[derive(Clone, Debug)]
pub struct Slice<T> {
    pub rows: Vec<T>,
    /// Cursor of the previous page, or none on the first page.
    pub previous: Option<Cursor>,
    /// Cursor of the next page, or none on the last page.
    pub next: Option<Cursor>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Direction {
    #[default]
    Ascending,
    Descending,
}

/// The sort key of registry records. Records with equal keys are sorted by id.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SortKey {
    /// The name without regard to case and accents.
    #[default]
    Name,
    CreatedAt,
    /// The time of the last change. A record can move while a client reads the list.
    UpdatedAt,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sorting {
    pub key: SortKey,
    pub direction: Direction,
}
