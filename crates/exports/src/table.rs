//! A table as it is described, once, for every format.

use std::collections::HashSet;

use crate::{Column, Error, Format, Kind};

/// What is written: the columns and what stands around them.
#[derive(Clone, Debug)]
pub struct Table {
    pub(crate) name: String,
    pub(crate) columns: Vec<Column>,
    pub(crate) shape: Shape,
    pub(crate) dates: DateOrder,
    pub(crate) about: Vec<(String, String)>,
    pub(crate) rows: Option<u64>,
    pub(crate) csv_dates: DateOrder,
    pub(crate) csv_mark: CsvMark,
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
pub(crate) enum Shape {
    /// Rows to filter.
    List,
    /// Nested rows, whose first columns say what they are of.
    Pivot { labels: usize, levels: u8 },
}

/// Whether a CSV begins with the mark by which Excel knows UTF-8.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CsvMark {
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
            return Err(Error::SameKey(twice.key.clone()));
        }
        Ok(Self {
            name: name.into(),
            columns,
            shape: Shape::List,
            dates: DateOrder::default(),
            about: Vec::new(),
            rows: None,
            csv_dates: DateOrder::YearMonthDay,
            csv_mark: CsvMark::None,
            csv_headings: CsvHeadings::Titles,
        })
    }

    /// Makes it a pivot: rows are nested so many levels deep, a row that sums others up stands above them, and the first columns,
    /// which label the rows, stay in view. With one such column the labels are indented by level.
    #[must_use]
    pub fn pivot(mut self, labels: usize, levels: u8) -> Self {
        self.shape = Shape::Pivot { labels: labels.min(self.columns.len() - 1), levels };
        self
    }

    /// Says in which order a sheet shows the parts of a date.
    #[must_use]
    pub fn dates(mut self, order: DateOrder) -> Self {
        self.dates = order;
        self
    }

    /// Says in which order a CSV has the parts of a date; unless said, as RFC 3339 does, which every program reads.
    #[must_use]
    pub fn csv_dates(mut self, order: DateOrder) -> Self {
        self.csv_dates = order;
        self
    }

    /// Adds a line to what the file says about itself: a second sheet in XLSX, metadata in Parquet. The others have no place for it.
    #[must_use]
    pub fn about(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.about.push((name.into(), value.into()));
        self
    }

    /// Says how many rows there will be, so that too many are refused at once.
    #[must_use]
    pub fn expecting(mut self, rows: u64) -> Self {
        self.rows = Some(rows);
        self
    }

    /// Lets a CSV begin with the mark by which Excel knows that it is UTF-8.
    #[must_use]
    pub fn marked_for_excel(mut self) -> Self {
        self.csv_mark = CsvMark::Utf8;
        self
    }

    /// Lets the first line of a CSV name keys instead of titles.
    #[must_use]
    pub fn headed_by_keys(mut self) -> Self {
        self.csv_headings = CsvHeadings::Keys;
        self
    }

    /// Refuses the table if the format cannot hold it.
    pub fn check(&self, format: Format) -> Result<(), Error> {
        format.check(self.rows.unwrap_or(0), self.columns.len() as u64, self.heading_lines())
    }

    /// How many lines of headings a sheet has.
    pub(crate) fn heading_lines(&self) -> u64 {
        1 + self.columns.iter().map(|column| column.over.len()).max().unwrap_or(0) as u64
    }

    pub(crate) fn kinds(&self) -> impl Iterator<Item = Kind> {
        self.columns.iter().map(|column| column.kind)
    }
}
