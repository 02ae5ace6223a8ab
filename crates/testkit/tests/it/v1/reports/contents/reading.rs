//! Reads the tables of reports with other libraries than those that wrote them.

use std::io::Cursor;

use calamine::{Data, Reader, Xlsx};

/// Returns the lines of a CSV file, header first.
pub fn csv(bytes: &[u8]) -> Vec<Vec<String>> {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(bytes);
    reader.records().map(|line| line.unwrap().iter().map(str::to_owned).collect()).collect()
}

/// Returns the cells of a sheet, header row first.
pub fn sheet(bytes: &[u8], name: &str) -> Vec<Vec<Data>> {
    let mut book: Xlsx<_> = Xlsx::new(Cursor::new(bytes.to_vec())).unwrap();
    let range = book.worksheet_range(name).unwrap();
    range.rows().map(<[Data]>::to_vec).collect()
}

pub fn sheets(bytes: &[u8]) -> Vec<String> {
    let book: Xlsx<_> = Xlsx::new(Cursor::new(bytes.to_vec())).unwrap();
    book.sheet_names()
}

/// Returns all cells of a workbook, sheet by sheet, without the version of the program.
pub fn workbook(bytes: &[u8]) -> String {
    let cell = |cell: &Data| match cell {
        Data::Empty => String::new(),
        Data::String(text) => text.replace(concat!("Keepclear ", env!("CARGO_PKG_VERSION")), "Keepclear"),
        // With the type, because a number that is a text cannot be added up.
        other => format!("{other:?}"),
    };
    let row = |row: &Vec<Data>| row.iter().map(cell).collect::<Vec<_>>().join(" | ");
    let mut lines = Vec::new();
    for name in sheets(bytes) {
        lines.push(format!("# {name}"));
        lines.extend(sheet(bytes, &name).iter().map(row));
    }
    lines.join("\n")
}
