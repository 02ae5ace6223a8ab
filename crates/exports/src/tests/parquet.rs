//! Parquet, read with the reader of the parquet crate.

use bytes::Bytes;
use parquet::basic::{Compression, Encoding, LogicalType, Repetition, TimeUnit, Type, ZstdLevel};
use parquet::file::metadata::RowGroupMetaData;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use proptest::prelude::*;

use super::{Row, any_rows, every_kind, file, file_of, finite, words};
use crate::{Cell, Column, ColumnKind, Format, Table, Writer};

fn read(bytes: Vec<u8>) -> SerializedFileReader<Bytes> {
    SerializedFileReader::new(Bytes::from(bytes)).unwrap()
}

fn rows(file: &SerializedFileReader<Bytes>) -> Vec<Vec<Field>> {
    let rows = file.get_row_iter(None).unwrap();
    rows.map(|row| row.unwrap().into_columns().into_iter().map(|(_, field)| field).collect()).collect()
}

/// Returns the fields that a row has in a file.
fn fields(row: &Row) -> Vec<Field> {
    vec![
        row.text.clone().map_or(Field::Null, Field::Str),
        row.integer.map_or(Field::Null, Field::Long),
        finite(row.decimal).map_or(Field::Null, Field::Double),
        finite(row.percent).map_or(Field::Null, Field::Double),
        row.duration_ms.map_or(Field::Null, Field::Long),
        row.timestamp.map_or(Field::Null, |(at_us, _)| Field::TimestampMicros(at_us)),
        row.date.map_or(Field::Null, Field::Date),
        row.boolean.map_or(Field::Null, Field::Bool),
    ]
}

#[test]
fn columns_have_types_and_the_file_says_what_it_is() {
    let (bytes, _) = file(Format::Parquet, every_kind(), &[&[Cell::Empty; 8]]).unwrap();
    let file = read(bytes);
    let about = file.metadata().file_metadata();
    let columns = about.schema_descr().columns();
    let types: Vec<_> = columns
        .iter()
        .map(|column| (column.name(), column.physical_type(), column.logical_type_ref().cloned()))
        .collect();
    let expected = [
        ("text", Type::BYTE_ARRAY, Some(LogicalType::String)),
        ("integer", Type::INT64, None),
        ("decimal", Type::DOUBLE, None),
        ("percent", Type::DOUBLE, None),
        ("duration_ms", Type::INT64, None),
        ("timestamp", Type::INT64, Some(LogicalType::timestamp(true, TimeUnit::MICROS))),
        ("date", Type::INT32, Some(LogicalType::Date)),
        ("boolean", Type::BOOLEAN, None),
    ];
    assert_eq!(types, expected);
    for column in columns {
        assert_eq!(column.self_type().get_basic_info().repetition(), Repetition::OPTIONAL);
    }
    let pairs = about.key_value_metadata().unwrap();
    let pairs: Vec<_> = pairs.iter().map(|pair| (pair.key.as_str(), pair.value.as_deref())).collect();
    assert_eq!(pairs, [("Title", Some("Every kind")), ("Filter", Some("=all"))]);
    assert_eq!(rows(&file), [vec![Field::Null; 8]]);
}

#[test]
fn columns_are_encoded_by_kind_and_have_statistics() {
    let row = [
        Cell::Text("b"),
        Cell::Integer(1),
        Cell::Decimal(0.5),
        Cell::Decimal(0.25),
        Cell::Integer(2),
        Cell::Timestamp { at_us: 3, offset_s: 0 },
        Cell::Date(4),
        Cell::Boolean(true),
    ];
    let (bytes, _) = file(Format::Parquet, every_kind(), &[&row, &[Cell::Empty; 8]]).unwrap();
    let file = read(bytes);
    let columns = file.metadata().row_group(0).columns();
    let encodings = [
        Encoding::RLE_DICTIONARY,
        Encoding::DELTA_BINARY_PACKED,
        Encoding::BYTE_STREAM_SPLIT,
        Encoding::BYTE_STREAM_SPLIT,
        Encoding::DELTA_BINARY_PACKED,
        Encoding::DELTA_BINARY_PACKED,
        Encoding::DELTA_BINARY_PACKED,
        Encoding::PLAIN,
    ];
    for (column, encoding) in columns.iter().zip(encodings) {
        let path = column.column_path();
        assert!(column.encodings().any(|used| used == encoding), "{path}");
        assert_eq!(column.dictionary_page_offset().is_some(), encoding == Encoding::RLE_DICTIONARY, "{path}");
        assert_eq!(column.compression(), Compression::ZSTD(ZstdLevel::default()), "{path}");
        let statistics = column.statistics().unwrap();
        assert_eq!(statistics.null_count_opt(), Some(1), "{path}");
        assert!(statistics.min_bytes_opt().is_some(), "{path}");
        assert_eq!(statistics.min_bytes_opt(), statistics.max_bytes_opt(), "{path}");
    }
    assert_eq!(columns[0].statistics().unwrap().min_bytes_opt(), Some(b"b".as_slice()));
}

#[test]
fn groups_of_rows_are_bounded_by_rows_and_by_bytes() {
    let mut bytes = Vec::new();
    let mut writer = Writer::new(Format::Parquet, words(), &mut bytes).unwrap();
    for _ in 0..200_000 {
        writer.write(&[Cell::Text("short")]).unwrap();
    }
    writer.finish().unwrap();
    let file = read(bytes);
    assert_eq!(
        file.metadata().row_groups().iter().map(RowGroupMetaData::num_rows).collect::<Vec<_>>(),
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
    assert!(read(bytes).metadata().num_row_groups() > 1, "60 MB of noise are not one group");
}

#[test]
fn rows_of_many_batches_and_groups_read_back_the_same() {
    let columns = vec![
        Column::new("text", "Text", ColumnKind::Text),
        Column::new("word", "Word", ColumnKind::Text),
        Column::new("number", "Number", ColumnKind::Integer),
    ];
    let table = Table::new("Rows", columns).unwrap();
    let mut bytes = Vec::new();
    let mut writer = Writer::new(Format::Parquet, table, &mut bytes).unwrap();
    // More different texts than a dictionary can have, beside a few that are repeated.
    let text = |row: i64| match row % 5 {
        0 => None,
        1 => Some("the same".to_owned()),
        2 => Some(String::new()),
        _ => Some(format!("{row:040}")),
    };
    let word = |row: i64| (row % 7 != 0).then(|| format!("word {}", row % 600));
    let number = |row: i64| (row % 3 != 0).then_some(row);
    let count = 140_000;
    for row in 0..count {
        let (text, word) = (text(row), word(row));
        let cells = [
            text.as_deref().map_or(Cell::Empty, Cell::Text),
            word.as_deref().map_or(Cell::Empty, Cell::Text),
            number(row).map_or(Cell::Empty, Cell::Integer),
        ];
        writer.write(&cells).unwrap();
    }
    writer.finish().unwrap();
    let file = read(bytes);
    assert_eq!(file.metadata().num_row_groups(), 2);
    let rows = rows(&file);
    assert_eq!(rows.len() as i64, count);
    for (row, found) in (0..count).zip(rows) {
        let expected = [
            text(row).map_or(Field::Null, Field::Str),
            word(row).map_or(Field::Null, Field::Str),
            number(row).map_or(Field::Null, Field::Long),
        ];
        assert_eq!(found, expected, "row {row}");
    }
}

proptest! {
    #[test]
    fn rows_read_back_the_same(written in any_rows()) {
        let file = read(file_of(Format::Parquet, &written));
        prop_assert_eq!(file.metadata().file_metadata().num_rows(), written.len() as i64);
        prop_assert_eq!(rows(&file), written.iter().map(fields).collect::<Vec<_>>());
    }
}
