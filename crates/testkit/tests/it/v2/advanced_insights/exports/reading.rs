//! Reads the files of exports with other libraries than those that wrote them.

use std::io::Cursor;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type, TimestampMicrosecondType};
use arrow_array::{Array, RecordBatch};
use bytes::Bytes;
use calamine::{Data, Reader, Xlsx};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
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
    let builder = ParquetRecordBatchReaderBuilder::try_new(Bytes::from(bytes.to_vec())).unwrap();
    let batches: Vec<RecordBatch> = builder.build().unwrap().map(Result::unwrap).collect();
    let mut rows = Vec::new();
    for batch in batches {
        for place in 0..batch.num_rows() {
            let fields = batch.schema();
            let cells = fields.fields().iter().zip(batch.columns());
            rows.push(cells.map(|(field, column)| (field.name().clone(), cell(column, place))).collect());
        }
    }
    rows
}

fn cell(column: &dyn Array, place: usize) -> Value {
    if column.is_null(place) {
        return Value::Null;
    }
    if let Some(texts) = column.as_string_opt::<i32>() {
        return json!(texts.value(place));
    }
    if let Some(numbers) = column.as_primitive_opt::<Int64Type>() {
        return json!(numbers.value(place));
    }
    if let Some(numbers) = column.as_primitive_opt::<Float64Type>() {
        return json!(numbers.value(place));
    }
    if let Some(moments) = column.as_primitive_opt::<TimestampMicrosecondType>() {
        return json!(moments.value(place));
    }
    match column.as_boolean_opt() {
        Some(flags) => json!(flags.value(place)),
        None => json!("a day"),
    }
}
