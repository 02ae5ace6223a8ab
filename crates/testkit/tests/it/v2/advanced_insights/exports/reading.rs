//! Reads the files of exports with other libraries than those that wrote them.

use std::io::Cursor;

use bytes::Bytes;
use calamine::{Data, Reader, Xlsx};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use serde_json::{Map, Value, json};

pub fn ndjson(bytes: &[u8]) -> Vec<Value> {
    let text = std::str::from_utf8(bytes).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

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

/// Returns the rows of a Parquet file as NDJSON would have them, except that times are microseconds.
pub fn parquet(bytes: &[u8]) -> Vec<Map<String, Value>> {
    let file = SerializedFileReader::new(Bytes::from(bytes.to_vec())).unwrap();
    let rows = file.get_row_iter(None).unwrap().map(|row| row.unwrap().into_columns());
    rows.map(|row| row.into_iter().map(|(key, field)| (key, cell(field))).collect()).collect()
}

fn cell(field: Field) -> Value {
    match field {
        Field::Null => Value::Null,
        Field::Str(text) => Value::String(text),
        Field::Long(number) => json!(number),
        Field::Double(number) => json!(number),
        Field::TimestampMicros(moment) => json!(moment),
        Field::Bool(flag) => json!(flag),
        Field::Date(_) => json!("a day"),
        other => panic!("no column of an export has {other:?}"),
    }
}
