//! A table as it is described, once, for every format.

use std::collections::HashSet;

use crate::{Column, ColumnKind, Error, Format};

/// What is written: the columns and what stands around them.
#[derive(Clone, Debug)]
pub struct Table {
    pub(crate) name: String,
    pub(crate) columns: Vec<Column>,
    pub(crate) layout: TableLayout,
    pub(crate) date_order: DateOrder,
    pub(crate) metadata: Vec<(String, String)>,
    pub(crate) expected_rows: Option<u64>,
    pub(crate) csv_date_order: DateOrder,
    pub(crate) csv_bom: CsvBom,
    pub(crate) csv_headings: CsvHeadings,
}

/// In which order the parts of a date are written.
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

/// How a sheet lays the table out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TableLayout {
    /// Rows to filter.
    List,
    /// Nested rows, whose first columns say what they are of.
    Pivot { label_columns: usize, levels: u8 },
}

/// Whether a CSV begins with the mark by which Excel knows UTF-8.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CsvBom {
    None,
    Utf8,
}

/// What the first line of a CSV calls the columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CsvHeadings {
    Titles,
    Keys,
}

impl Table {
    /// A list of rows with these columns. The name is that of the sheet.
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
            expected_rows: None,
            csv_date_order: DateOrder::YearMonthDay,
            csv_bom: CsvBom::None,
            csv_headings: CsvHeadings::Titles,
        })
    }

    /// Makes it a pivot: rows are nested so many levels deep, a row that sums others up stands above them, and the first columns,
    /// which label the rows, stay in view. With one such column the labels are indented by level.
    #[must_use]
    pub fn with_pivot_layout(mut self, labels: usize, levels: u8) -> Self {
        self.layout = TableLayout::Pivot { label_columns: labels.min(self.columns.len() - 1), levels };
        self
    }

    /// Says in which order a sheet shows the parts of a date.
    #[must_use]
    pub fn with_date_order(mut self, order: DateOrder) -> Self {
        self.date_order = order;
        self
    }

    /// Says in which order a CSV has the parts of a date; unless said, as RFC 3339 does, which every program reads.
    #[must_use]
    pub fn with_csv_date_order(mut self, order: DateOrder) -> Self {
        self.csv_date_order = order;
        self
    }

    /// Adds a line to what the file says about itself: a second sheet in XLSX, metadata in Parquet. The others have no place for it.
    #[must_use]
    pub fn with_metadata(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.metadata.push((name.into(), value.into()));
        self
    }

    /// Says how many rows there will be, so that too many are refused at once.
    #[must_use]
    pub fn with_expected_rows(mut self, rows: u64) -> Self {
        self.expected_rows = Some(rows);
        self
    }

    /// Lets a CSV begin with the mark by which Excel knows that it is UTF-8.
    #[must_use]
    pub fn with_csv_bom(mut self) -> Self {
        self.csv_bom = CsvBom::Utf8;
        self
    }

    /// Lets the first line of a CSV name keys instead of titles.
    #[must_use]
    pub fn with_csv_key_headings(mut self) -> Self {
        self.csv_headings = CsvHeadings::Keys;
        self
    }

    /// Refuses the table if the format cannot hold it.
    pub fn check(&self, format: Format) -> Result<(), Error> {
        format.check(self.expected_rows.unwrap_or(0), self.columns.len() as u64, self.heading_lines())
    }

    /// How many lines of headings a sheet has.
    pub(crate) fn heading_lines(&self) -> u64 {
        1 + self.columns.iter().map(|column| column.group_headings.len()).max().unwrap_or(0) as u64
    }

    pub(crate) fn kinds(&self) -> impl Iterator<Item = ColumnKind> {
        self.columns.iter().map(|column| column.kind)
    }
}
