//! A table whose columns sort by links, whose head stays, and which can be taken along as CSV.

use askama::Template;
use askama::filters::HtmlSafe;
use texts::console::parts as t;

use super::cell::Cell;
use super::empty::Empty;
use super::pager::Pager;
use crate::frame::Frame;

/// The maximum number of rows of a table that is taken along as CSV.
pub const MAX_CSV_ROWS: u16 = 10_000;

/// A table.
#[derive(Template)]
#[template(path = "parts/table.html")]
pub struct Table {
    /// What the table lists, for those who do not see it.
    pub caption: String,
    pub columns: Vec<Column>,
    pub rows: Vec<Row>,
    pub pager: Option<Pager>,
    /// The address of the same rows as CSV.
    pub csv: Option<String>,
    /// Shown instead of a table without rows.
    pub empty: Empty,
    /// Whether there are more rows than the table could have, for reasons of its own.
    pub is_incomplete: bool,
    csv_text: String,
}

/// A column of a table.
pub struct Column {
    pub label: String,
    pub is_number: bool,
    pub sort: Option<SortLink>,
}

/// The link by which a column sorts the table.
pub struct SortLink {
    href: String,
    /// `ascending` or `descending` if the table is sorted by the column.
    direction: Option<&'static str>,
}

/// A row of a table.
pub struct Row {
    pub cells: Vec<Cell>,
    /// Whether it is archived or revoked.
    pub is_muted: bool,
}

impl HtmlSafe for Table {}

impl Table {
    pub fn new(caption: impl Into<String>, columns: Vec<Column>, mut rows: Vec<Row>, empty: Empty) -> Self {
        for row in &mut rows {
            for (cell, column) in row.cells.iter_mut().zip(&columns) {
                cell.is_number = column.is_number;
            }
        }
        Self {
            caption: caption.into(),
            columns,
            rows,
            pager: None,
            csv: None,
            empty,
            is_incomplete: false,
            csv_text: String::new(),
        }
    }

    pub fn paged(mut self, pager: Pager) -> Self {
        self.pager = Some(pager);
        self
    }

    /// Says whether there are more rows than the table could have.
    pub fn incomplete(mut self, is_incomplete: bool) -> Self {
        self.is_incomplete = is_incomplete;
        self
    }

    /// Links to the same rows as CSV, at this address with `format=csv`. The link says if the file cannot have all of them.
    pub fn with_csv(mut self, frame: &Frame) -> Self {
        self.csv = Some(frame.here("format", Some("csv")));
        let max = i64::from(MAX_CSV_ROWS);
        let total = self.pager.as_ref().and_then(|pager| pager.total).filter(|total| *total > max);
        self.csv_text = match total {
            Some(total) => {
                let (rows, total) = (frame.formats().integer(max), frame.formats().integer(total));
                frame.fill(t::FIRST_AS_CSV, &[("rows", &rows), ("total", &total)])
            }
            None if self.is_incomplete => frame.text(t::PART_AS_CSV).to_owned(),
            None => frame.text(t::AS_CSV).to_owned(),
        };
        self
    }
}

impl Column {
    pub fn text(label: impl Into<String>) -> Self {
        Self { label: label.into(), is_number: false, sort: None }
    }

    pub fn number(label: impl Into<String>) -> Self {
        Self { is_number: true, ..Self::text(label) }
    }

    /// Makes the head a link that sorts by `key`; `current` is the value of `sort`, empty for the default. The first click sorts
    /// numbers downwards, the second turns the order round.
    pub fn sorted(mut self, frame: &Frame, key: &'static str, current: &str) -> Self {
        let descending = format!("-{key}");
        let direction = match current {
            current if current == key => Some("ascending"),
            current if current == descending => Some("descending"),
            _ => None,
        };
        let is_descending_next = match direction {
            Some(direction) => direction == "ascending",
            None => self.is_number,
        };
        let next = if is_descending_next { descending.as_str() } else { key };
        self.sort = Some(SortLink { href: frame.here("sort", Some(next)), direction });
        self
    }

    fn class(&self) -> &'static str {
        if self.is_number { "n" } else { "t" }
    }
}

impl SortLink {
    fn sign(&self) -> &'static str {
        match self.direction {
            Some("ascending") => "▴",
            Some(_) => "▾",
            None => "",
        }
    }

    fn aria(&self) -> &'static str {
        self.direction.unwrap_or("none")
    }
}

impl Row {
    pub fn new(cells: Vec<Cell>) -> Self {
        Self { cells, is_muted: false }
    }

    pub fn muted(mut self, is_muted: bool) -> Self {
        self.is_muted = is_muted;
        self
    }
}

#[cfg(test)]
mod tests {
    use texts::Language;

    use super::*;

    #[test]
    fn a_link_says_how_many_rows_its_file_has() {
        let frame = crate::frame::sample(Language::English, "/x");
        let table = || {
            let empty = Empty { title: String::new(), reason: String::new(), action: None };
            Table::new("x", vec![Column::text("name")], vec![Row::new(vec![Cell::text("a")])], empty)
        };
        let text = |total| table().paged(Pager::of(&frame, 1, Some(total), None)).with_csv(&frame).csv_text;
        assert_eq!(text(10_000), "Take along as CSV");
        assert_eq!(text(78_138), "Take the first 10,000 of 78,138 rows along as CSV");
        assert_eq!(table().incomplete(true).with_csv(&frame).csv_text, "Take along as CSV, incomplete");
    }
}
