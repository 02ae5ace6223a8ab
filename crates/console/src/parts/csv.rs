//! Tables as CSV files: the parameter that asks for one, and the file.

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

/// Returns the texts of a table as CSV. If there are more rows than the table has, the name of the file says so: whoever computes with it
/// would take a further line for a row.
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
    let head = table.columns.iter().map(|column| column.label.as_str());
    add_line(&mut text, head);
    for row in &table.rows {
        add_line(&mut text, row.cells.iter().map(csv_text));
    }
    text
}

fn csv_text(cell: &Cell) -> &str {
    match &cell.badge {
        Some(badge) if cell.text.is_empty() => &badge.word,
        _ => &cell.text,
    }
}

fn add_line<'a>(text: &mut String, values: impl Iterator<Item = &'a str>) {
    for (index, value) in values.enumerate() {
        if index > 0 {
            text.push(',');
        }
        text.push('"');
        // A text that a spreadsheet would take for a formula.
        if value.starts_with(['=', '+', '-', '@', '\t', '\r']) {
            text.push('\'');
        }
        text.push_str(&value.replace('"', "\"\""));
        text.push('"');
    }
    text.push_str("\r\n");
}

#[cfg(test)]
mod tests {
    use domain::Cursor;
    use texts::Language;

    use super::*;
    use crate::parts::{Column, Empty, Pager, Row};

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
