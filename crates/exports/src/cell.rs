//! What stands in a row: cells, and how much the row weighs among others.

use crate::Kind;

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
    pub(crate) fn fits(&self, kind: Kind) -> bool {
        match self {
            Self::Empty => true,
            Self::Text(_) => kind == Kind::Text,
            Self::Integer(_) => {
                matches!(
                    kind,
                    Kind::Integer | Kind::Duration(_) | Kind::Decimal { .. } | Kind::Percent { .. }
                )
            }
            Self::Decimal(_) => matches!(kind, Kind::Decimal { .. } | Kind::Percent { .. }),
            Self::Timestamp { .. } => kind == Kind::Timestamp,
            Self::Date(_) => kind == Kind::Date,
            Self::Boolean(_) => kind == Kind::Boolean,
        }
    }
}

/// How a row stands among the others. XLSX shows it; the other formats have no place for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rank {
    /// How deep the row is nested. Rows of a higher level fold into the row of a lower one above them; a sheet knows seven levels.
    pub level: u8,
    /// What the row sums up.
    pub weight: Weight,
}

/// What a row sums up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Weight {
    /// Nothing: it is a row like others.
    #[default]
    Plain,
    /// The rows nested in it: bold.
    Subtotal,
    /// All rows: bold, with a line above.
    Total,
}

impl Weight {
    pub(crate) const ALL: [Self; 3] = [Self::Plain, Self::Subtotal, Self::Total];
}
