//! CSV, read with the reader of the csv crate.

use proptest::prelude::*;

use super::{Row, any_rows, every_kind, file, file_of, finite, words};
use crate::escape::escape_formulas;
use crate::{Cell, Column, ColumnKind, DateOrder, Format, Table};

fn text_of(table: Table, rows: &[&[Cell<'_>]]) -> String {
    String::from_utf8(file(Format::Csv, table, rows).unwrap().0).unwrap()
}

#[test]
fn lines_are_those_of_rfc_4180() {
    let rows: [&[Cell<'_>]; 4] =
        [&[Cell::Text("a, b")], &[Cell::Text("say \"x\"\r\nand y")], &[Cell::Text("plain")], &[Cell::Empty]];
    assert_eq!(
        text_of(words(), &rows),
        "Word\r\n\"a, b\"\r\n\"say \"\"x\"\"\r\nand y\"\r\nplain\r\n\"\"\r\n"
    );
}

#[test]
fn values_are_written_by_their_kind() {
    let row = [
        Cell::Text("Plum"),
        Cell::Integer(-7),
        Cell::Decimal(-2.5),
        Cell::Decimal(0.125),
        Cell::Integer(1_500),
        Cell::Timestamp { at_us: 1_772_366_430_250_000, offset_s: 3_600 },
        Cell::Date(20_513),
        Cell::Boolean(true),
    ];
    let text = text_of(every_kind(), &[&row]);
    let expected = "Plum,-7,-2.5,0.125,1500,2026-03-01T13:00:30.250+01:00,2026-03-01,true";
    assert_eq!(text.lines().nth(1).unwrap(), expected);
    // The date order of sheets does not apply to CSV.
    let text = text_of(every_kind().with_date_order(DateOrder::MonthDayYear), &[&row]);
    assert_eq!(text.lines().nth(1).unwrap(), expected);
    let text = text_of(every_kind().with_csv_date_order(DateOrder::MonthDayYear), &[&row]);
    let expected = "Plum,-7,-2.5,0.125,1500,03/01/2026 13:00:30.250+01:00,03/01/2026,true";
    assert_eq!(text.lines().nth(1).unwrap(), expected);
}

#[test]
fn text_that_would_be_evaluated_gets_an_apostrophe() {
    let rows: [&[Cell<'_>]; 4] =
        [&[Cell::Text("=1+1")], &[Cell::Text("-3")], &[Cell::Text("@a,b")], &[Cell::Text("\tx")]];
    assert_eq!(text_of(words(), &rows), "Word\r\n'=1+1\r\n'-3\r\n\"'@a,b\"\r\n\"'\tx\"\r\n");
}

#[test]
fn separators_of_other_locales_are_quoted() {
    for separator in [",", ";", "\t", "|", "^", "~", "،", "؛", "；"] {
        let text = format!("a{separator}b");
        assert_eq!(text_of(words(), &[&[Cell::Text(&text)]]), format!("Word\r\n\"{text}\"\r\n"));
        let heading = Column::new("x", &text, ColumnKind::Text);
        assert_eq!(text_of(Table::new("x", vec![heading]).unwrap(), &[]), format!("\"{text}\"\r\n"));
    }
    let rows: [&[Cell<'_>]; 3] =
        [&[Cell::Text("a;=cmd()")], &[Cell::Text("a\n \"-1; b")], &[Cell::Text("a; b - c")]];
    let expected = "Word\r\n\"a;'=cmd()\"\r\n\"a\n' \"\"-1; b\"\r\n\"a; b - c\"\r\n";
    assert_eq!(text_of(words(), &rows), expected);
}

#[test]
fn headings_are_escaped_joined_or_keys() {
    let columns = || {
        vec![
            Column::new("site", "=Site", ColumnKind::Text),
            Column::new("march.incursions", "Incursions", ColumnKind::Integer)
                .with_group_headings(["March 2026", "North"]),
        ]
    };
    let titles = text_of(Table::new("x", columns()).unwrap(), &[]);
    assert_eq!(titles, "'=Site,March 2026 / North / Incursions\r\n");
    let keys = text_of(Table::new("x", columns()).unwrap().with_csv_key_headings().with_csv_bom(), &[]);
    assert_eq!(keys, "\u{FEFF}site,march.incursions\r\n");
}

proptest! {
    #[test]
    fn no_separator_makes_a_formula_of_a_part(
        first in "[a1=+@;|^~,\"' \t\r\n-]{0,12}",
        second in "[a1=+@;|^~,\"' \t\r\n-]{0,12}",
    ) {
        let columns = vec![Column::new("a", "A", ColumnKind::Text), Column::new("b", "B", ColumnKind::Text)];
        let row = [Cell::Text(&first), Cell::Text(&second)];
        let text = text_of(Table::new("x", columns).unwrap(), &[&row, &row]);
        for separator in [b',', b';', b'|', b'\t', b'^', b'~'] {
            let mut builder = csv::ReaderBuilder::new();
            let mut reader = builder.delimiter(separator).flexible(true).from_reader(text.as_bytes());
            for record in reader.records() {
                for cell in &record.unwrap() {
                    let begins = cell.trim_start().chars().next();
                    prop_assert!(!matches!(begins, Some('=' | '+' | '-' | '@')), "{cell:?} of {text:?}");
                }
            }
        }
    }

    #[test]
    fn rows_read_back_the_same(rows in any_rows()) {
        let bytes = file_of(Format::Csv, &rows);
        let mut reader = csv::Reader::from_reader(bytes.as_slice());
        let records: Vec<_> = reader.records().collect::<Result<_, _>>().unwrap();
        prop_assert_eq!(records.len(), rows.len());
        for (record, row) in records.iter().zip(&rows) {
            let Row { text, integer, decimal, percent, duration_ms, timestamp, date, boolean } = row;
            let text = text.clone().unwrap_or_default();
            prop_assert_eq!(&record[0], escape_formulas(&text));
            prop_assert_eq!(record[1].parse().ok(), *integer);
            prop_assert_eq!(record[2].parse().ok(), finite(*decimal));
            prop_assert_eq!(record[3].parse().ok(), finite(*percent));
            prop_assert_eq!(record[4].parse().ok(), *duration_ms);
            let at = record[5].parse::<jiff::Timestamp>().ok().map(jiff::Timestamp::as_microsecond);
            prop_assert_eq!(at, timestamp.map(|(at_us, _)| at_us));
            prop_assert_eq!(record[6].is_empty(), date.is_none());
            prop_assert_eq!(record[7].parse().ok(), *boolean);
        }
    }
}
