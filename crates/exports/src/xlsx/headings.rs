//! The header lines of a sheet: titles, and above them the common headings of groups of columns.

use super::styles::{GROUP_HEADING, TITLE};
use super::text::push_cell_text;
use crate::{Column, Table};

/// The layout of the headings of a sheet.
pub(super) struct Headings {
    /// Lines of texts, one per column, with the titles last. Merged cells have their text in the first cell.
    lines: Vec<Vec<String>>,
    /// Line, first and last column of merged cells.
    merged: Vec<(usize, usize, usize)>,
}

impl Headings {
    pub fn new(table: &Table) -> Self {
        let over = table.heading_lines() as usize - 1;
        let columns = &table.columns;
        let mut lines = Vec::with_capacity(over + 1);
        let mut merged = Vec::new();
        for line in 0..over {
            let text = |column: &Column| column.group_headings.get(line).cloned().unwrap_or_default();
            let mut texts: Vec<String> = columns.iter().map(text).collect();
            for (first, last) in merged_runs(columns, line) {
                texts[first + 1..=last].fill(String::new());
                merged.push((line, first, last));
            }
            lines.push(texts);
        }
        lines.push(columns.iter().map(|column| column.title.clone()).collect());
        Self { lines, merged }
    }

    pub fn lines(&self) -> u64 {
        self.lines.len() as u64
    }

    /// Appends the headings as rows of the sheet.
    pub fn push_rows(&self, out: &mut Vec<u8>) {
        for (line, texts) in self.lines.iter().enumerate() {
            let style = if line + 1 == self.lines.len() { TITLE } else { GROUP_HEADING };
            out.extend_from_slice(format!("<row r=\"{}\">", line + 1).as_bytes());
            for (column, text) in texts.iter().enumerate() {
                let place = format!("{}{}", column_letters(column), line + 1);
                if text.is_empty() {
                    out.extend_from_slice(format!("<c r=\"{place}\" s=\"{style}\"/>").as_bytes());
                } else {
                    let lead = format!("<c r=\"{place}\" s=\"{style}\" t=\"inlineStr\"><is>");
                    out.extend_from_slice(lead.as_bytes());
                    push_cell_text(out, text);
                    out.extend_from_slice(b"</is></c>");
                }
            }
            out.extend_from_slice(b"</row>");
        }
    }

    /// Appends the list of merged cells.
    pub fn push_merges(&self, out: &mut Vec<u8>) {
        if self.merged.is_empty() {
            return;
        }
        out.extend_from_slice(format!("<mergeCells count=\"{}\">", self.merged.len()).as_bytes());
        for (line, first, last) in &self.merged {
            let range =
                format!("{}{line}:{}{line}", column_letters(*first), column_letters(*last), line = line + 1);
            out.extend_from_slice(format!("<mergeCell ref=\"{range}\"/>").as_bytes());
        }
        out.extend_from_slice(b"</mergeCells>");
    }
}

/// Returns the first and last of adjacent columns that have all headings down to that line in common.
fn merged_runs(columns: &[Column], line: usize) -> impl Iterator<Item = (usize, usize)> {
    let mut first = 0;
    columns
        .chunk_by(move |one, next| {
            one.group_headings.get(line).is_some()
                && one.group_headings.get(..=line) == next.group_headings.get(..=line)
        })
        .filter_map(move |run| {
            let begins = first;
            first += run.len();
            (run.len() > 1).then(|| (begins, begins + run.len() - 1))
        })
}

/// Returns the letters of a column: A to Z, then AA and so on.
pub(super) fn column_letters(column: usize) -> String {
    let mut letters = Vec::new();
    let mut rest = column + 1;
    while rest > 0 {
        rest -= 1;
        letters.push(char::from(b'A' + (rest % 26) as u8));
        rest /= 26;
    }
    letters.iter().rev().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ColumnKind;

    #[test]
    fn columns_are_called_as_in_a_sheet() {
        for (column, expected) in
            [(0, "A"), (25, "Z"), (26, "AA"), (701, "ZZ"), (702, "AAA"), (16_383, "XFD")]
        {
            assert_eq!(column_letters(column), expected);
        }
    }

    #[test]
    fn neighbours_share_what_they_have_in_common() {
        let column = |key: &str, over: &[&str]| {
            Column::new(key, key, ColumnKind::Integer).with_group_headings(over.iter().copied())
        };
        let columns = vec![
            column("site", &[]),
            column("a", &["March", "North"]),
            column("b", &["March", "North"]),
            column("c", &["March", "South"]),
            column("d", &["April", "South"]),
            column("e", &[]),
            column("f", &[]),
        ];
        assert_eq!(merged_runs(&columns, 0).collect::<Vec<_>>(), [(1, 3)]);
        assert_eq!(merged_runs(&columns, 1).collect::<Vec<_>>(), [(1, 2)]);
    }
}
