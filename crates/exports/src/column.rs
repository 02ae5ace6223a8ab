//! What a column is called and what stands in it.

/// A column of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// The name for programs: the key in NDJSON, the column in Parquet.
    pub key: String,
    /// The name for people: the heading in XLSX and CSV.
    pub title: String,
    /// Headings above the title, the outermost first. Neighbours under the same heading share it.
    pub group_headings: Vec<String>,
    /// What stands in it.
    pub kind: ColumnKind,
    /// How many characters wide it is in a sheet; by its first rows unless said.
    pub width: Option<u16>,
}

/// What stands in a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnKind {
    /// Words.
    Text,
    /// Whole numbers.
    Integer,
    /// Numbers, shown with so many digits after the point where a format has a way to show.
    Decimal {
        /// Digits after the point.
        digits: u8,
    },
    /// Fractions of one, shown as percents with so many digits after the point where a format has a way to show.
    Percent {
        /// Digits after the point.
        digits: u8,
    },
    /// Lengths of time, whole numbers of a unit. A sheet shows hours, minutes and seconds.
    Duration(DurationUnit),
    /// Moments.
    Timestamp,
    /// Days.
    Date,
    /// Yes or no.
    Boolean,
}

/// What durations are counted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DurationUnit {
    /// Thousandths of a second.
    Milliseconds,
    /// Seconds.
    Seconds,
}

impl Column {
    /// A column without headings above its title.
    pub fn new(key: impl Into<String>, title: impl Into<String>, kind: ColumnKind) -> Self {
        Self { key: key.into(), title: title.into(), group_headings: Vec::new(), kind, width: None }
    }

    /// Puts headings above the title, the outermost first.
    #[must_use]
    pub fn with_group_headings<T: Into<String>>(mut self, headings: impl IntoIterator<Item = T>) -> Self {
        self.group_headings = headings.into_iter().map(Into::into).collect();
        self
    }

    /// Says how many characters wide it is in a sheet.
    #[must_use]
    pub fn with_width(mut self, characters: u16) -> Self {
        self.width = Some(characters);
        self
    }

    /// All headings in one, for a format with one line for them.
    pub(crate) fn heading(&self) -> String {
        let parts = self.group_headings.iter().chain([&self.title]).map(String::as_str);
        parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" / ")
    }
}
