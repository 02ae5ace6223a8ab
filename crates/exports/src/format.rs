//! The formats, what they are called elsewhere, and what they hold.

use crate::{Error, Limit};

/// What a table is written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// A workbook for spreadsheet programs.
    Xlsx,
    /// Lines of values between commas.
    Csv,
    /// A JSON object per line.
    Ndjson,
    /// Typed columns in groups of rows.
    Parquet,
}

/// Characters (UTF-16 units, as Excel counts) that a cell of a sheet holds. Longer text is cut, with a mark.
pub(crate) const SHEET_CELL_CHARACTERS: usize = 32_767;

impl Format {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Xlsx, Self::Csv, Self::Ndjson, Self::Parquet];

    /// The word that stands for it, which is how its files end too.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Xlsx => "xlsx",
            Self::Csv => "csv",
            Self::Ndjson => "ndjson",
            Self::Parquet => "parquet",
        }
    }

    /// Reads the word.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.as_str() == text)
    }

    /// How a file's name ends, without the dot.
    pub fn extension(self) -> &'static str {
        self.as_str()
    }

    /// What HTTP calls it.
    pub fn content_type(self) -> &'static str {
        match self {
            Self::Xlsx => "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
            Self::Csv => "text/csv; charset=utf-8; header=present",
            Self::Ndjson => "application/x-ndjson",
            Self::Parquet => "application/vnd.apache.parquet",
        }
    }

    /// How many lines it holds, headings included.
    pub fn max_lines(self) -> Option<u64> {
        (self == Self::Xlsx).then_some(1_048_576)
    }

    /// How many columns it holds.
    pub fn max_columns(self) -> Option<u64> {
        (self == Self::Xlsx).then_some(16_384)
    }

    /// Refuses a table that the format cannot hold, before anything is written.
    pub fn check(self, rows: u64, columns: u64, heading_lines: u64) -> Result<(), Error> {
        if let Some(most) = self.max_columns().filter(|most| columns > *most) {
            return Err(Error::TooLarge { limit: Limit::Columns, max: most, wanted: columns });
        }
        if let Some(most) = self.max_lines().map(|most| most.saturating_sub(heading_lines))
            && rows > most
        {
            return Err(Error::TooLarge { limit: Limit::Rows, max: most, wanted: rows });
        }
        Ok(())
    }
}
