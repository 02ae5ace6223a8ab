//! What stands in a row: cells, and how much the row weighs among others.

use crate::ColumnKind;

/// One value of a row, borrowed from whoever has it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cell<'a> {
    /// Nothing is known: an empty cell, `null`.
    Empty,
    /// Words.
    Text(&'a str),
    /// A whole number; of a column of durations, in its unit.
    Integer(i64),
    /// A number; of a column of percents, the fraction (0.25 is 25 %). What is not finite is written as nothing.
    Decimal(f64),
    /// A moment, and how far the clock that it is read by is ahead of UTC.
    Timestamp {
        /// Microseconds since 1970, UTC.
        at_us: i64,
        /// Seconds ahead of UTC.
        offset_s: i32,
    },
    /// A day, counted from 1970-01-01.
    Date(i32),
    /// Yes or no.
    Boolean(bool),
}

impl Cell<'_> {
    /// Whether the cell may stand in a column of that kind.
    pub(crate) fn fits(&self, kind: ColumnKind) -> bool {
        match self {
            Self::Empty => true,
            Self::Text(_) => kind == ColumnKind::Text,
            Self::Integer(_) => {
                matches!(
                    kind,
                    ColumnKind::Integer
                        | ColumnKind::Duration(_)
                        | ColumnKind::Decimal { .. }
                        | ColumnKind::Percent { .. }
                )
            }
            Self::Decimal(_) => matches!(kind, ColumnKind::Decimal { .. } | ColumnKind::Percent { .. }),
            Self::Timestamp { .. } => kind == ColumnKind::Timestamp,
            Self::Date(_) => kind == ColumnKind::Date,
            Self::Boolean(_) => kind == ColumnKind::Boolean,
        }
    }
}

/// How a row stands among the others. XLSX shows it; the other formats have no place for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RowOutline {
    /// How deep the row is nested. Rows of a higher level fold into the row of a lower one above them; a sheet knows seven levels.
    pub level: u8,
    /// What the row sums up.
    pub kind: RowKind,
}

/// What a row sums up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RowKind {
    /// Nothing: it is a row like others.
    #[default]
    Plain,
    /// The rows nested in it: bold.
    Subtotal,
    /// All rows: bold, with a line above.
    Total,
}

impl RowKind {
    pub(crate) const ALL: [Self; 3] = [Self::Plain, Self::Subtotal, Self::Total];
}
