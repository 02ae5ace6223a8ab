//! Columns of a table.

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// The name for programs: the key in NDJSON, the column in Parquet.
    pub key: String,
    /// The name for people: the heading in XLSX and CSV.
    pub title: String,
    /// Headings above the title, the outermost first. Adjacent columns with the same heading share it.
    pub group_headings: Vec<String>,
    pub kind: ColumnKind,
    /// The width in a sheet, in characters; by default it depends on the first rows.
    pub width: Option<u16>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnKind {
    Text,
    Integer,
    /// Numbers, shown with this number of decimal places if the format supports it.
    Decimal {
        digits: u8,
    },
    /// Fractions, shown as percentages with this number of decimal places if the format supports it.
    Percent {
        digits: u8,
    },
    /// Durations, as integers in a unit. A sheet shows hours, minutes and seconds.
    Duration(DurationUnit),
    Timestamp,
    Date,
    Boolean,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DurationUnit {
    Milliseconds,
    Seconds,
}

impl Column {
    /// Creates a column without headings above its title.
    pub fn new(key: impl Into<String>, title: impl Into<String>, kind: ColumnKind) -> Self {
        Self { key: key.into(), title: title.into(), group_headings: Vec::new(), kind, width: None }
    }

    /// Sets the headings above the title, the outermost first.
    #[must_use]
    pub fn with_group_headings<T: Into<String>>(mut self, headings: impl IntoIterator<Item = T>) -> Self {
        self.group_headings = headings.into_iter().map(Into::into).collect();
        self
    }

    /// Sets the width in a sheet, in characters.
    #[must_use]
    pub fn with_width(mut self, characters: u16) -> Self {
        self.width = Some(characters);
        self
    }

    /// Returns all headings in one text, for formats with a single header line.
    pub(crate) fn heading(&self) -> String {
        let parts = self.group_headings.iter().chain([&self.title]).map(String::as_str);
        parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" / ")
    }
}
