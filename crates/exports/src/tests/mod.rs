//! Tests that read whole files back with independent readers.

mod csv;
mod ndjson;
mod parquet;
mod pivot;
mod refusals;
mod xlsx;

use proptest::prelude::*;

use crate::{Cell, Column, ColumnKind, DurationUnit, Error, Format, RowOutline, Table, WriteSummary, Writer};

/// An owned row of [`every_kind`].
#[derive(Clone, Debug)]
struct Row {
    text: Option<String>,
    integer: Option<i64>,
    decimal: Option<f64>,
    percent: Option<f64>,
    duration_ms: Option<i64>,
    timestamp: Option<(i64, i32)>,
    date: Option<i32>,
    boolean: Option<bool>,
}

impl Row {
    fn cells(&self) -> [Cell<'_>; 8] {
        [
            self.text.as_deref().map_or(Cell::Empty, Cell::Text),
            self.integer.map_or(Cell::Empty, Cell::Integer),
            self.decimal.map_or(Cell::Empty, Cell::Decimal),
            self.percent.map_or(Cell::Empty, Cell::Decimal),
            self.duration_ms.map_or(Cell::Empty, Cell::Integer),
            self.timestamp.map_or(Cell::Empty, |(at_us, offset_s)| Cell::Timestamp { at_us, offset_s }),
            self.date.map_or(Cell::Empty, Cell::Date),
            self.boolean.map_or(Cell::Empty, Cell::Boolean),
        ]
    }
}

/// A table with a column of each kind.
fn every_kind() -> Table {
    let columns = vec![
        Column::new("text", "Text", ColumnKind::Text),
        Column::new("integer", "Integer", ColumnKind::Integer),
        Column::new("decimal", "Decimal", ColumnKind::Decimal { digits: 2 }),
        Column::new("percent", "Percent", ColumnKind::Percent { digits: 1 }),
        Column::new("duration_ms", "Duration", ColumnKind::Duration(DurationUnit::Milliseconds)),
        Column::new("timestamp", "Timestamp", ColumnKind::Timestamp),
        Column::new("date", "Date", ColumnKind::Date),
        Column::new("boolean", "Boolean", ColumnKind::Boolean),
    ];
    Table::new("Every kind", columns)
        .unwrap()
        .with_metadata("Title", "Every kind")
        .with_metadata("Filter", "=all")
}

/// A table with a column of text.
fn words() -> Table {
    Table::new("Words", vec![Column::new("word", "Word", ColumnKind::Text)]).unwrap()
}

fn file(format: Format, table: Table, rows: &[&[Cell<'_>]]) -> Result<(Vec<u8>, WriteSummary), Error> {
    let mut bytes = Vec::new();
    let mut writer = Writer::new(format, table, &mut bytes)?;
    for row in rows {
        writer.write(row)?;
    }
    let written = writer.finish()?;
    assert_eq!(written.bytes, bytes.len() as u64);
    assert_eq!(written.rows, rows.len() as u64);
    Ok((bytes, written))
}

fn file_of(format: Format, rows: &[Row]) -> Vec<u8> {
    let cells: Vec<_> = rows.iter().map(Row::cells).collect();
    let cells: Vec<&[Cell<'_>]> = cells.iter().map(<[_; 8]>::as_slice).collect();
    file(format, every_kind(), &cells).unwrap().0
}

/// Text with more awkward characters than random text would have.
fn any_text() -> impl Strategy<Value = String> {
    let awkward =
        prop::sample::select("=+-@\t\r\n,;\"'<>&_x0D \u{0}\u{1f}\u{FFFE}😀é".chars().collect::<Vec<_>>());
    prop::collection::vec(prop_oneof![awkward, any::<char>()], 0..24)
        .prop_map(|text| text.into_iter().collect())
}

fn any_rows() -> impl Strategy<Value = Vec<Row>> {
    use prop::option::of;
    // The years that both jiff and Excel support.
    let timestamp = (
        -60_000_000_000_000_000_i64..=250_000_000_000_000_000,
        (-1_439..=1_439).prop_map(|minutes| minutes * 60),
    );
    let row = (
        of(any_text()),
        of(any::<i64>()),
        of(any::<f64>()),
        of(prop_oneof![0.0..=1.0, Just(f64::NAN), Just(f64::INFINITY)]),
        of(0..=100_000_000_000_i64),
        of(timestamp),
        of(-700_000..=2_932_896),
        of(any::<bool>()),
    );
    let row = row.prop_map(|(text, integer, decimal, percent, duration_ms, timestamp, date, boolean)| Row {
        text,
        integer,
        decimal,
        percent,
        duration_ms,
        timestamp,
        date,
        boolean,
    });
    prop::collection::vec(row, 0..12)
}

fn finite(number: Option<f64>) -> Option<f64> {
    number.filter(|number| number.is_finite())
}

#[test]
fn formats_are_known_by_their_words() {
    for format in Format::ALL {
        assert_eq!(Format::parse(format.as_str()), Some(format));
        assert!(format.content_type().contains('/'));
    }
    assert_eq!(Format::parse("XLSX"), None);
}

#[test]
fn the_same_rows_make_the_same_bytes() {
    let row = [
        Cell::Text("a"),
        Cell::Integer(1),
        Cell::Decimal(0.5),
        Cell::Empty,
        Cell::Empty,
        Cell::Empty,
        Cell::Date(3),
        Cell::Empty,
    ];
    for format in Format::ALL {
        let (first, _) = file(format, every_kind(), &[&row, &row]).unwrap();
        let (second, _) = file(format, every_kind(), &[&row, &row]).unwrap();
        assert_eq!(first, second, "{format:?}");
    }
}

#[test]
fn a_table_without_rows_is_a_whole_file() {
    for format in Format::ALL {
        let (bytes, written) = file(format, every_kind(), &[]).unwrap();
        assert_eq!(written.rows, 0);
        assert_eq!(bytes.is_empty(), format == Format::Ndjson, "{format:?}");
    }
}

#[test]
fn ranks_change_nothing_but_sheets() {
    for format in [Format::Csv, Format::Ndjson, Format::Parquet] {
        let (plain, _) = file(format, words(), &[&[Cell::Text("a")]]).unwrap();
        let mut ranked = Vec::new();
        let mut writer = Writer::new(format, words().with_pivot_layout(1, 2), &mut ranked).unwrap();
        writer
            .write_outlined(RowOutline { level: 9, kind: crate::RowKind::Total }, &[Cell::Text("a")])
            .unwrap();
        writer.finish().unwrap();
        assert_eq!(plain, ranked);
    }
}
