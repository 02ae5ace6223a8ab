//! XLSX, read with calamine.

use std::io::Cursor;

use calamine::{Data, DataType, Range, Reader, Xlsx};
use proptest::prelude::*;

use super::{any_rows, every_kind, file, file_of, finite, words};
use crate::escape::is_formula;
use crate::time::LocalDateTime;
use crate::{Cell, Column, ColumnKind, Format, Table, Writer};

pub(super) fn open(bytes: Vec<u8>) -> Xlsx<Cursor<Vec<u8>>> {
    Xlsx::new(Cursor::new(bytes)).unwrap()
}

fn sheet(bytes: Vec<u8>, name: &str) -> Range<Data> {
    open(bytes).worksheet_range(name).unwrap()
}

fn at(range: &Range<Data>, line: u32, column: u32) -> Data {
    range.get_value((line, column)).cloned().unwrap_or_default()
}

/// Returns the number behind a cell, even if its format shows a time or a duration.
fn number(data: &Data) -> Option<f64> {
    match data {
        Data::DateTime(at) => Some(at.as_f64()),
        other => other.as_f64(),
    }
}

fn word(text: &str) -> Data {
    let (bytes, _) = file(Format::Xlsx, words(), &[&[Cell::Text(text)]]).unwrap();
    at(&sheet(bytes, "Words"), 1, 0)
}

fn serial(days: i64, us_of_day: i64) -> f64 {
    (days + 25_569) as f64 + us_of_day as f64 / 86_400e6
}

#[test]
fn a_workbook_has_the_table_and_what_it_is_about() {
    let (bytes, _) = file(Format::Xlsx, every_kind(), &[]).unwrap();
    let mut book = open(bytes);
    assert_eq!(book.sheet_names(), ["Every kind", "About"]);
    let table = book.worksheet_range("Every kind").unwrap();
    assert_eq!(at(&table, 0, 0), Data::String("Text".into()));
    assert_eq!(at(&table, 0, 7), Data::String("Boolean".into()));
    let about = book.worksheet_range("About").unwrap();
    assert_eq!(at(&about, 0, 1), Data::String("Every kind".into()));
    assert_eq!(at(&about, 1, 0), Data::String("Filter".into()));
    assert_eq!(at(&about, 1, 1), Data::String("'=all".into()));
}

#[test]
fn the_second_sheet_has_the_name_that_it_is_given() {
    let table = every_kind().with_metadata_name("Über <den> Bericht: 1/2");
    let (bytes, _) = file(Format::Xlsx, table, &[]).unwrap();
    assert_eq!(open(bytes).sheet_names(), ["Every kind", "Über <den> Bericht  1 2"]);
    // The sheets of a workbook must not have the same name.
    let (bytes, _) = file(Format::Xlsx, every_kind().with_metadata_name("every kind"), &[]).unwrap();
    assert_eq!(open(bytes).sheet_names(), ["Table", "every kind"]);
}

#[test]
fn text_that_would_be_evaluated_gets_an_apostrophe_and_numbers_none() {
    for text in ["=1+1", "+49 30 1234", "-x", "@x", "\tx", "\rx"] {
        assert_eq!(word(text), Data::String(format!("'{text}")));
    }
    let row = [
        Cell::Empty,
        Cell::Integer(-7),
        Cell::Decimal(-0.5),
        Cell::Empty,
        Cell::Empty,
        Cell::Empty,
        Cell::Empty,
        Cell::Empty,
    ];
    let (bytes, _) = file(Format::Xlsx, every_kind(), &[&row]).unwrap();
    let range = sheet(bytes, "Every kind");
    assert_eq!(number(&at(&range, 1, 1)), Some(-7.0));
    assert_eq!(number(&at(&range, 1, 2)), Some(-0.5));
}

#[test]
fn control_characters_survive() {
    for text in ["a\u{0}b", "\u{1b}[1m", "a\r\nb", "_x000D_", "\u{FFFF}x", " blank ", "<&>\"'"] {
        assert_eq!(word(text), Data::String(text.into()));
    }
}

#[test]
fn what_is_too_long_for_a_cell_is_cut_with_a_mark() {
    let Data::String(text) = word(&"x".repeat(40_000)) else { panic!("text") };
    assert_eq!(text.chars().count(), 32_767);
    assert!(text.ends_with("x…"));
}

#[test]
fn days_that_excel_does_not_know_are_text() {
    let columns =
        vec![Column::new("at", "At", ColumnKind::Timestamp), Column::new("day", "Day", ColumnKind::Date)];
    let moment = |days: i64| Cell::Timestamp { at_us: days * 86_400_000_000 + 1_000_000, offset_s: 0 };
    let rows: [&[Cell<'_>]; 4] = [
        &[moment(-25_509), Cell::Date(-25_509)],
        &[moment(-25_508), Cell::Date(-25_508)],
        &[moment(2_932_896), Cell::Date(2_932_896)],
        &[moment(2_932_897), Cell::Date(i32::MAX)],
    ];
    let (bytes, _) = file(Format::Xlsx, Table::new("Days", columns).unwrap(), &rows).unwrap();
    let range = sheet(bytes, "Days");
    assert_eq!(at(&range, 1, 0), Data::String("1900-02-28 00:00:01".into()));
    assert_eq!(at(&range, 1, 1), Data::String("1900-02-28".into()));
    assert_eq!(number(&at(&range, 2, 1)), Some(61.0));
    assert!(matches!(at(&range, 3, 0), Data::DateTime(_)));
    assert_eq!(at(&range, 4, 0), Data::String("+010000-01-01 00:00:01".into()));
    assert!(matches!(at(&range, 4, 1), Data::String(_)));
}

#[test]
fn numbers_with_more_digits_than_a_sheet_keeps_are_text() {
    let table = || Table::new("Numbers", vec![Column::new("n", "N", ColumnKind::Integer)]).unwrap();
    let rows: [&[Cell<'_>]; 3] = [
        &[Cell::Integer(999_999_999_999_999)],
        &[Cell::Integer(1_000_000_000_000_000)],
        &[Cell::Integer(i64::MIN)],
    ];
    let (bytes, _) = file(Format::Xlsx, table(), &rows).unwrap();
    let range = sheet(bytes, "Numbers");
    assert_eq!(number(&at(&range, 1, 0)), Some(999_999_999_999_999.0));
    assert_eq!(at(&range, 2, 0), Data::String("1000000000000000".into()));
    assert_eq!(at(&range, 3, 0), Data::String(i64::MIN.to_string()));
}

#[test]
fn texts_beyond_those_that_are_shared_are_in_their_cells() {
    let columns =
        vec![Column::new("uid", "Uid", ColumnKind::Text), Column::new("site", "Site", ColumnKind::Text)];
    let mut bytes = Vec::new();
    let mut writer = Writer::new(Format::Xlsx, Table::new("Many", columns).unwrap(), &mut bytes).unwrap();
    let uids: Vec<_> = (0..20_000).map(|number| format!("=uid {number}")).collect();
    for uid in &uids {
        writer.write(&[Cell::Text(uid), Cell::Text("North")]).unwrap();
    }
    writer.finish().unwrap();
    let range = sheet(bytes, "Many");
    for (line, uid) in (1..).zip(&uids) {
        assert_eq!(at(&range, line, 0), Data::String(format!("'{uid}")));
        assert_eq!(at(&range, line, 1), Data::String("North".into()));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]
    #[test]
    fn rows_read_back_the_same(rows in any_rows()) {
        let range = sheet(file_of(Format::Xlsx, &rows), "Every kind");
        for (line, row) in (1..).zip(&rows) {
            let near = |column, expected: Option<f64>| match (number(&at(&range, line, column)), expected) {
                (Some(read), Some(expected)) => (read - expected).abs() <= expected.abs() * 1e-14 + 1e-10,
                (read, expected) => read == expected,
            };
            let text = row.text.clone().filter(|text| !text.is_empty());
            let text = text.map(|text| if is_formula(&text) { format!("'{text}") } else { text });
            prop_assert_eq!(at(&range, line, 0), text.map_or(Data::Empty, Data::String));
            match row.integer {
                Some(number) if number.unsigned_abs() > 999_999_999_999_999 => {
                    prop_assert_eq!(at(&range, line, 1), Data::String(number.to_string()));
                }
                number => prop_assert!(near(1, number.map(|number| number as f64))),
            }
            prop_assert!(near(2, finite(row.decimal)));
            prop_assert!(near(3, finite(row.percent)));
            prop_assert!(near(4, row.duration_ms.map(|ms| ms as f64 / 86_400_000.0)));
            match row.timestamp.map(|(at_us, offset_s)| LocalDateTime::from_offset(at_us, offset_s)) {
                Some(local) if local.days < -25_508 => prop_assert!(matches!(at(&range, line, 5), Data::String(_))),
                local => prop_assert!(near(5, local.map(|local| serial(local.days, local.us_of_day)))),
            }
            match row.date.map(i64::from) {
                Some(days) if days < -25_508 => prop_assert!(matches!(at(&range, line, 6), Data::String(_))),
                days => prop_assert!(near(6, days.map(|days| serial(days, 0)))),
            }
            prop_assert_eq!(at(&range, line, 7), row.boolean.map_or(Data::Empty, Data::Bool));
        }
    }
}
