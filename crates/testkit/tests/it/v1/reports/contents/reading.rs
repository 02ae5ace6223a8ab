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
