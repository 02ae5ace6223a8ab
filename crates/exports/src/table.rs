//! The description of a table, for all formats.

use std::collections::HashSet;

use crate::{Column, ColumnKind, Error, Format};

/// The columns of a table, and options for its layout.
#[derive(Clone, Debug)]
pub struct Table {
    pub(crate) name: String,
    pub(crate) columns: Vec<Column>,
    pub(crate) layout: TableLayout,
    pub(crate) date_order: DateOrder,
    pub(crate) metadata: Vec<(String, String)>,
    /// The name of the sheet with the metadata.
    pub(crate) metadata_name: String,
    pub(crate) expected_rows: Option<u64>,
    pub(crate) csv_date_order: DateOrder,
    pub(crate) csv_bom: CsvBom,
    pub(crate) csv_headings: CsvHeadings,
}

/// The order of the parts of a date.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DateOrder {
    /// DD/MM/YYYY.
    #[default]
    DayMonthYear,
    /// MM/DD/YYYY.
    MonthDayYear,
    /// YYYY-MM-DD.
    YearMonthDay,
}

/// The layout of a sheet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TableLayout {
    /// Rows that can be filtered.
    List,
    /// Nested rows, which the first columns label.
    Pivot { label_columns: usize, levels: u8 },
}

/// Whether a CSV file begins with the byte order mark, by which Excel recognises UTF-8.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CsvBom {
    None,
    Utf8,
}

/// Whether the header line of a CSV file has titles or keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CsvHeadings {
    Titles,
    Keys,
}

impl Table {
    /// Creates a list with these columns. `name` is the name of the sheet.
    pub fn new(name: impl Into<String>, columns: Vec<Column>) -> Result<Self, Error> {
        if columns.is_empty() {
            return Err(Error::NoColumns);
        }
        let mut seen = HashSet::new();
        if let Some(twice) = columns.iter().find(|column| !seen.insert(column.key.as_str())) {
            return Err(Error::DuplicateKey(twice.key.clone()));
        }
        Ok(Self {
            name: name.into(),
            columns,
            layout: TableLayout::List,
            date_order: DateOrder::default(),
            metadata: Vec::new(),
            metadata_name: "About".to_owned(),
            expected_rows: None,
            csv_date_order: DateOrder::YearMonthDay,
            csv_bom: CsvBom::None,
            csv_headings: CsvHeadings::Titles,
        })
    }

    /// Turns the table into a pivot: rows are nested up to `levels` deep, a subtotal is above its rows, and the first `labels` columns,
    /// which label the rows, stay visible. With one label column, labels are indented by level.
    #[must_use]
    pub fn with_pivot_layout(mut self, labels: usize, levels: u8) -> Self {
        self.layout = TableLayout::Pivot { label_columns: labels.min(self.columns.len() - 1), levels };
        self
    }

    /// Sets the order of the parts of a date in a sheet.
    #[must_use]
    pub fn with_date_order(mut self, order: DateOrder) -> Self {
        self.date_order = order;
        self
    }

    /// Sets the order of the parts of a date in CSV. The default is RFC 3339, which every program reads.
    #[must_use]
    pub fn with_csv_date_order(mut self, order: DateOrder) -> Self {
        self.csv_date_order = order;
        self
    }

    /// Adds a line of metadata: on a second sheet in XLSX, as file metadata in Parquet. The other formats cannot store it.
    #[must_use]
    pub fn with_metadata(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.metadata.push((name.into(), value.into()));
        self
    }

    /// Sets the name of the second sheet, which has the metadata.
    #[must_use]
    pub fn with_metadata_name(mut self, name: impl Into<String>) -> Self {
        self.metadata_name = name.into();
        self
    }

    /// Sets the expected number of rows, so that a table that is too large is refused immediately.
    #[must_use]
    pub fn with_expected_rows(mut self, rows: u64) -> Self {
        self.expected_rows = Some(rows);
        self
    }

    /// Begins CSV files with the byte order mark, by which Excel recognises UTF-8.
    #[must_use]
    pub fn with_csv_bom(mut self) -> Self {
        self.csv_bom = CsvBom::Utf8;
        self
    }

    /// Uses keys instead of titles in the header line of CSV files.
    #[must_use]
    pub fn with_csv_key_headings(mut self) -> Self {
        self.csv_headings = CsvHeadings::Keys;
        self
    }

    /// Refuses a table that is too large for the format.
    pub fn check(&self, format: Format) -> Result<(), Error> {
        format.check(self.expected_rows.unwrap_or(0), self.columns.len() as u64, self.heading_lines())
    }

    /// Returns the number of header lines in a sheet.
    pub(crate) fn heading_lines(&self) -> u64 {
        1 + self.columns.iter().map(|column| column.group_headings.len()).max().unwrap_or(0) as u64
    }

    pub(crate) fn kinds(&self) -> impl Iterator<Item = ColumnKind> {
        self.columns.iter().map(|column| column.kind)
    }
}
