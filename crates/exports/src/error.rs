//! What can be wrong with a table, a row, or where they go.

use std::{fmt, io};

use crate::ColumnKind;

/// Why a table was not written.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There is no column.
    #[error("a table has at least one column")]
    NoColumns,
    /// Two columns have the same key.
    #[error("two columns are called {0}")]
    DuplicateKey(String),
    /// A row has more or fewer cells than there are columns.
    #[error("a row of {found} cells in a table of {columns} columns")]
    RowLength {
        /// How many columns there are.
        columns: usize,
        /// How many cells came.
        found: usize,
    },
    /// A cell is not of its column's kind.
    #[error("a cell of the column {column} is not of its kind, {kind:?}")]
    CellKind {
        /// The column's key.
        column: String,
        /// What should stand there.
        kind: ColumnKind,
    },
    /// The format holds no table of that size.
    #[error("the format holds at most {max} {limit}, and there are {wanted}")]
    TooLarge {
        /// What there is too much of.
        limit: Limit,
        /// How much the format holds.
        max: u64,
        /// How much there is; as far as it was seen, if the whole was not known before.
        wanted: u64,
    },
    /// Bytes could not be written.
    #[error("the file cannot be written: {0}")]
    Sink(#[from] io::Error),
    /// Something went wrong before, so the file cannot be made whole any more.
    #[error("the file was given up when an earlier row could not be written")]
    Aborted,
}

/// What a format bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// Rows, besides the headings.
    Rows,
    /// Columns.
    Columns,
    /// Bytes of a sheet, before they are packed.
    SheetBytes,
    /// Bytes of the whole file.
    FileBytes,
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Rows => "rows",
            Self::Columns => "columns",
            Self::SheetBytes => "bytes of a sheet",
            Self::FileBytes => "bytes",
        })
    }
}

impl From<csv::Error> for Error {
    fn from(error: csv::Error) -> Self {
        match error.into_kind() {
            csv::ErrorKind::Io(error) => Self::Sink(error),
            other => Self::Sink(io::Error::other(format!("{other:?}"))),
        }
    }
}

impl From<serde_json::Error> for Error {
    fn from(error: serde_json::Error) -> Self {
        Self::Sink(error.into())
    }
}

impl From<parquet::errors::ParquetError> for Error {
    fn from(error: parquet::errors::ParquetError) -> Self {
        match error {
            parquet::errors::ParquetError::External(source) => match source.downcast::<io::Error>() {
                Ok(source) => Self::Sink(*source),
                Err(source) => Self::Sink(io::Error::other(source)),
            },
            other => Self::Sink(io::Error::other(other)),
        }
    }
}

impl From<arrow_schema::ArrowError> for Error {
    fn from(error: arrow_schema::ArrowError) -> Self {
        Self::Sink(io::Error::other(error))
    }
}
