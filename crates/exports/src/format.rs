//! The file formats, with their names and limits.

use crate::{Error, Limit};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// A workbook for spreadsheet programs.
    Xlsx,
    /// Comma-separated values.
    Csv,
    /// One JSON object per line.
    Ndjson,
    /// Typed columns in row groups.
    Parquet,
}

/// The maximum length of a cell in a sheet, in UTF-16 units, which Excel counts. Longer text is truncated, with a mark.
pub(crate) const SHEET_CELL_CHARACTERS: usize = 32_767;

impl Format {
    pub const ALL: [Self; 4] = [Self::Xlsx, Self::Csv, Self::Ndjson, Self::Parquet];

    /// Returns the name, which is also the file extension.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Xlsx => "xlsx",
            Self::Csv => "csv",
            Self::Ndjson => "ndjson",
            Self::Parquet => "parquet",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.as_str() == text)
    }

    /// Returns the file extension without the dot.
    pub fn extension(self) -> &'static str {
        self.as_str()
    }

    /// Returns the media type.
    pub fn content_type(self) -> &'static str {
        match self {
            Self::Xlsx => "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
            Self::Csv => "text/csv; charset=utf-8; header=present",
            Self::Ndjson => "application/x-ndjson",
            Self::Parquet => "application/vnd.apache.parquet",
        }
    }

    /// Returns the maximum number of lines, including headings.
    pub fn max_lines(self) -> Option<u64> {
        (self == Self::Xlsx).then_some(1_048_576)
    }

    pub fn max_columns(self) -> Option<u64> {
        (self == Self::Xlsx).then_some(16_384)
    }

    /// Refuses a table that is too large for the format, before anything is written.
    pub fn check(self, rows: u64, columns: u64, heading_lines: u64) -> Result<(), Error> {
        if let Some(max) = self.max_columns().filter(|max| columns > *max) {
            return Err(Error::TooLarge { limit: Limit::Columns, max, wanted: columns });
        }
        if let Some(max) = self.max_lines().map(|max| max.saturating_sub(heading_lines))
            && rows > max
        {
            return Err(Error::TooLarge { limit: Limit::Rows, max, wanted: rows });
        }
        Ok(())
    }
}
