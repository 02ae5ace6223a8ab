//! Tables as CSV files: the parameter that asks for one, and the file.

use std::borrow::Cow;

use app::Error;
use axum::response::Response;
use domain::Invalid;
use web::Query;

use super::cell::Cell;
use super::table::Table;
use crate::response;

/// Reads `format=csv`.
pub fn read_csv_format(query: &mut Query) -> Result<bool, Error> {
    let format = query.one("format", |text| match text {
        "csv" => Ok(()),
        _ => Err(Invalid::new("invalid_format", "must be csv")),
    })?;
    Ok(format.is_some())
}

/// Returns the rows of a table as CSV: numbers and times as programs read them, all else as it is shown. If there are more rows than the
/// table has, the name of the file says so: whoever computes with it would take a further line for a row.
pub fn csv_response(name: &str, table: &Table) -> Response {
    let disposition = format!("attachment; filename=\"{}\"", file_name(name, table));
    response::bytes("text/csv; charset=utf-8", csv(table).into_bytes(), Some(disposition))
}

fn file_name(name: &str, table: &Table) -> String {
    let has_more = table.is_incomplete || table.pager.as_ref().is_some_and(|pager| pager.next.is_some());
    match name.strip_suffix(".csv") {
        Some(stem) if has_more => format!("{stem}-incomplete.csv"),
        _ => name.to_owned(),
    }
}

fn csv(table: &Table) -> String {
    let mut text = String::new();
    let heads = table.columns.iter().enumerate().map(|(index, column)| match unit_of(table, index) {
        Some(unit) => Value::Text(Cow::Owned(format!("{} ({unit})", column.label))),
        None => Value::Text(Cow::Borrowed(&column.label)),
    });
    add_line(&mut text, heads);
    for row in &table.rows {
        add_line(&mut text, row.cells.iter().map(value_of));
    }
    text
}

/// A value of a line.
enum Value<'a> {
    /// A number or a time, which has no sign that must be escaped.
    Plain(&'a str),
    Text(Cow<'a, str>),
}

/// Returns the unit of a column, which all of its numbers share.
fn unit_of(table: &Table, index: usize) -> Option<&'static str> {
    table.rows.iter().find_map(|row| row.cells.get(index)?.plain.as_ref()?.unit)
}

fn value_of(cell: &Cell) -> Value<'_> {
    match (&cell.plain, &cell.badge) {
        (Some(plain), _) => Value::Plain(&plain.text),
        (None, Some(badge)) if cell.text.is_empty() => Value::Text(Cow::Borrowed(&badge.word)),
        // The sign of pages for nothing.
        _ if cell.text == "–" => Value::Plain(""),
        _ => Value::Text(Cow::Borrowed(&cell.text)),
    }
}

fn add_line<'a>(text: &mut String, values: impl Iterator<Item = Value<'a>>) {
    for (index, value) in values.enumerate() {
        if index > 0 {
            text.push(',');
        }
        match value {
            Value::Plain(plain) => text.push_str(plain),
            Value::Text(value) => add_text(text, &value),
        }
    }
    text.push_str("\r\n");
}

fn add_text(text: &mut String, value: &str) {
    text.push('"');
    // A text that a spreadsheet would take for a formula.
    if value.starts_with(['=', '+', '-', '@', '\t', '\r']) {
        text.push('\'');
    }
    text.push_str(&value.replace('"', "\"\""));
    text.push('"');
}

#[cfg(test)]
mod tests {
    use domain::Cursor;
    use texts::Language;

    use super::*;
    use crate::parts::{Column, Empty, Pager, Plain, Row};

    fn table() -> Table {
        let empty = Empty { title: String::new(), reason: String::new(), action: None };
        let cells = vec![Cell::head("=1+1", "/x"), Cell::text("a \"b\",\nc")];
        Table::new("x", vec![Column::text("name"), Column::number("n")], vec![Row::new(cells)], empty)
    }

    #[test]
    fn formulas_and_quotes_are_harmless_in_csv() {
        let table = table();
        assert_eq!(csv(&table), "\"name\",\"n\"\r\n\"'=1+1\",\"a \"\"b\"\",\nc\"\r\n");
        assert!(table.rows[0].cells[1].is_number);
    }

    /// A German spreadsheet would read 1,283 as a little more than one.
    #[test]
    fn numbers_and_times_are_those_of_programs() {
        let at = domain::Timestamp::parse("2026-03-01T12:00:00Z").unwrap();
        let row = |number: Cell, time: Cell| Row::new(vec![Cell::text("a"), number, time]);
        let rows = vec![
            row(Cell::text("–"), Cell::text("never").plain(Plain::time(None::<domain::Timestamp>))),
            row(
                Cell::text("1,283 s").plain(Plain::number(1_283.0, Some("s"))),
                Cell::text("7 hours ago").plain(Plain::time(at)),
            ),
            row(Cell::text("−5").plain(Plain::number(-5.0, Some("s"))), Cell::text("")),
        ];
        let columns = vec![Column::text("name"), Column::number("length"), Column::text("seen")];
        let table = Table::new(
            "x",
            columns,
            rows,
            Empty { title: String::new(), reason: String::new(), action: None },
        );
        assert_eq!(
            csv(&table),
            "\"name\",\"length (s)\",\"seen\"\r\n\"a\",,\r\n\"a\",1283,2026-03-01T12:00:00Z\r\n\"a\",-5,\"\"\r\n"
        );
    }

    #[test]
    fn a_file_without_all_rows_says_so() {
        let frame = crate::frame::sample(Language::English, "/x?format=csv");
        let whole = table().paged(Pager::of(&frame, 1, Some(1), None));
        assert_eq!(file_name("x.csv", &whole), "x.csv");
        let next = Cursor::from_client("a");
        let cut = table().paged(Pager::of(&frame, 1, Some(2), Some(&next)));
        assert_eq!(file_name("x.csv", &cut), "x-incomplete.csv");
        assert_eq!(file_name("x.csv", &table().incomplete(true)), "x-incomplete.csv");
    }
}
