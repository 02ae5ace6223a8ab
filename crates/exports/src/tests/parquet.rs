//! Parquet, read with the reader of the parquet crate.

use arrow_array::cast::AsArray;
use arrow_array::types::{Date32Type, Float64Type, Int64Type, TimestampMicrosecondType};
use arrow_array::{Array, RecordBatch};
use arrow_schema::{DataType, TimeUnit};
use bytes::Bytes;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::file::metadata::{ParquetMetaData, RowGroupMetaData};
use proptest::prelude::*;

use super::{any_rows, every_kind, file, file_of, finite, words};
use crate::{Cell, Format, Writer};

fn read(bytes: Vec<u8>) -> (ParquetMetaData, Vec<RecordBatch>) {
    let builder = ParquetRecordBatchReaderBuilder::try_new(Bytes::from(bytes)).unwrap();
    let metadata = builder.metadata().as_ref().clone();
    (metadata, builder.build().unwrap().collect::<Result<_, _>>().unwrap())
}

#[test]
fn columns_have_types_and_the_file_says_what_it_is() {
    let (bytes, _) = file(Format::Parquet, every_kind(), &[&[Cell::Empty; 8]]).unwrap();
    let (metadata, batches) = read(bytes);
    let schema = batches[0].schema();
    let types: Vec<_> =
        schema.fields().iter().map(|field| (field.name().as_str(), field.data_type().clone())).collect();
    let expected = [
        ("text", DataType::Utf8),
        ("integer", DataType::Int64),
        ("decimal", DataType::Float64),
        ("percent", DataType::Float64),
        ("duration_ms", DataType::Int64),
        ("timestamp", DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into()))),
        ("date", DataType::Date32),
        ("boolean", DataType::Boolean),
    ];
    assert_eq!(types, expected);
    let about = metadata.file_metadata().key_value_metadata().unwrap();
    assert!(about.iter().any(|pair| pair.key == "Filter" && pair.value.as_deref() == Some("=all")));
}

#[test]
fn groups_of_rows_are_bounded_by_rows_and_by_bytes() {
    let mut bytes = Vec::new();
    let mut writer = Writer::new(Format::Parquet, words(), &mut bytes).unwrap();
    for _ in 0..200_000 {
        writer.write(&[Cell::Text("short")]).unwrap();
    }
    writer.finish().unwrap();
    let (metadata, _) = read(bytes);
    assert_eq!(
        metadata.row_groups().iter().map(RowGroupMetaData::num_rows).collect::<Vec<_>>(),
        [131_072, 68_928]
    );

    let mut bytes = Vec::new();
    let mut writer = Writer::new(Format::Parquet, words(), &mut bytes).unwrap();
    let mut state = 1_u64;
    for _ in 0..6_000 {
        let noise = |_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            char::from(b'!' + ((state >> 33) % 90) as u8)
        };
        writer.write(&[Cell::Text(&(0..10_000).map(noise).collect::<String>())]).unwrap();
    }
    writer.finish().unwrap();
    let (metadata, _) = read(bytes);
    assert!(metadata.num_row_groups() > 1, "60 MB of noise are not one group");
}

proptest! {
    #[test]
    fn rows_read_back_the_same(rows in any_rows()) {
        let (metadata, batches) = read(file_of(Format::Parquet, &rows));
        prop_assert_eq!(metadata.file_metadata().num_rows(), rows.len() as i64);
        let Some(batch) = batches.first() else { return Ok(()) };
        for (place, row) in rows.iter().enumerate() {
            let present = |column: usize| batch.column(column).is_valid(place);
            let integer = |column: usize| present(column).then(|| batch.column(column).as_primitive::<Int64Type>().value(place));
            let decimal = |column: usize| present(column).then(|| batch.column(column).as_primitive::<Float64Type>().value(place));
            let text = present(0).then(|| batch.column(0).as_string::<i32>().value(place));
            prop_assert_eq!(text, row.text.as_deref());
            prop_assert_eq!(integer(1), row.integer);
            prop_assert_eq!(decimal(2), finite(row.decimal));
            prop_assert_eq!(decimal(3), finite(row.percent));
            prop_assert_eq!(integer(4), row.duration_ms);
            let at = present(5).then(|| batch.column(5).as_primitive::<TimestampMicrosecondType>().value(place));
            prop_assert_eq!(at, row.timestamp.map(|(at_us, _)| at_us));
            let date = present(6).then(|| batch.column(6).as_primitive::<Date32Type>().value(place));
            prop_assert_eq!(date, row.date);
            let boolean = present(7).then(|| batch.column(7).as_boolean().value(place));
            prop_assert_eq!(boolean, row.boolean);
        }
    }
}
