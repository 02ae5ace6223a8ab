//! Cells of a row, and the role of the row in a table.

use crate::ColumnKind;

/// One value of a row, borrowed from its owner.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cell<'a> {
    /// No value: an empty cell, or `null`.
    Empty,
    Text(&'a str),
    /// An integer; in a column of durations, in its unit.
    Integer(i64),
    /// A number; in a column of percentages, the fraction (0.25 is 25 %). Values that are not finite are written as empty.
    Decimal(f64),
    /// A time, with the UTC offset of the time zone in which it is shown.
    Timestamp {
        /// Microseconds since 1970 in UTC.
        at_us: i64,
        /// Seconds ahead of UTC.
        offset_s: i32,
    },
    /// A day, as days since 1970-01-01.
    Date(i32),
    Boolean(bool),
}

impl Cell<'_> {
    /// Returns whether the cell is allowed in a column of that kind.
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

/// The nesting and the role of a row. XLSX shows it; the other formats cannot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RowOutline {
    /// The nesting depth. Rows of a higher level fold into the row of a lower level above them; a sheet supports seven levels.
    pub level: u8,
    pub kind: RowKind,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RowKind {
    /// An ordinary row.
    #[default]
    Plain,
    /// The sum of the rows nested in it, in bold.
    Subtotal,
    /// The sum of all rows, in bold with a line above.
    Total,
}

impl RowKind {
    pub(crate) const ALL: [Self; 3] = [Self::Plain, Self::Subtotal, Self::Total];
}
