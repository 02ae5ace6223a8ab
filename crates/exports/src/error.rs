//! Errors of tables, rows and sinks.

use std::{fmt, io};

use crate::ColumnKind;

/// The reason why a table was not written.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("a table must have at least one column")]
    NoColumns,
    /// Two columns have the same key.
    #[error("two columns have the key {0}")]
    DuplicateKey(String),
    /// A row has more or fewer cells than the table has columns.
    #[error("a row has {found} cells, but the table has {columns} columns")]
    RowLength { columns: usize, found: usize },
    /// A cell does not match the kind of its column.
    #[error("a cell of the column {column} does not match its kind, {kind:?}")]
    CellKind {
        /// The key of the column.
        column: String,
        kind: ColumnKind,
    },
    /// The table is too large for the format.
    #[error("the format allows at most {max} {limit}, but there are {wanted}")]
    TooLarge {
        limit: Limit,
        /// The limit of the format.
        max: u64,
        /// The actual size, or the size so far if the total was not known in advance.
        wanted: u64,
    },
    /// The sink could not be written.
    #[error("the file cannot be written: {0}")]
    Sink(#[from] io::Error),
    /// An earlier error made it impossible to complete the file.
    #[error("the file was aborted because an earlier row could not be written")]
    Aborted,
}

/// What a format limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// Rows without the headings.
    Rows,
    Columns,
    /// Bytes of a sheet before compression.
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
