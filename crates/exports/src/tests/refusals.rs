//! Errors, and files whose sink fails.

use std::io::{self, Write};

use super::{every_kind, file, words};
use crate::{Cell, Column, ColumnKind, Error, Format, Limit, Table, Writer};

/// A sink that fails after a number of bytes.
struct Full(usize);

impl Write for Full {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0 == 0 {
            return Err(io::Error::new(io::ErrorKind::StorageFull, "full"));
        }
        let taken = bytes.len().min(self.0);
        self.0 -= taken;
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_sink_that_fails_anywhere_gives_an_error() {
    for format in Format::ALL {
        let (whole, _) = file(format, every_kind(), &[&[Cell::Empty; 8]]).unwrap();
        for room in 0..whole.len() {
            let mut sink = Full(room);
            let wrote = Writer::new(format, every_kind(), &mut sink).and_then(|mut writer| {
                writer.write(&[Cell::Empty; 8])?;
                writer.finish()
            });
            assert!(matches!(wrote, Err(Error::Sink(_))), "{format:?} with room for {room}: {wrote:?}");
        }
    }
}

#[test]
fn after_a_failure_the_file_is_given_up() {
    for format in Format::ALL {
        let mut sink = Full(2_000);
        let mut writer = Writer::new(format, words(), &mut sink).unwrap();
        let failed = (0..200_000).find_map(|number| writer.write(&[Cell::Text(&number.to_string())]).err());
        assert!(matches!(failed, Some(Error::Sink(_))), "{format:?}: {failed:?}");
        assert!(matches!(writer.write(&[Cell::Text("x")]), Err(Error::Aborted)));
        assert!(matches!(writer.finish(), Err(Error::Aborted)));
    }
}

#[test]
fn dropping_a_writer_is_fine() {
    for format in Format::ALL {
        let mut bytes = Vec::new();
        let mut writer = Writer::new(format, words(), &mut bytes).unwrap();
        writer.write(&[Cell::Text("x")]).unwrap();
        drop(writer);
    }
}

#[test]
fn what_a_sheet_cannot_hold_is_refused_before_anything_is_written() {
    let mut bytes = Vec::new();
    let refused = Writer::new(Format::Xlsx, words().with_expected_rows(1_048_576), &mut bytes).map(|_| ());
    assert!(matches!(
        refused,
        Err(Error::TooLarge { limit: Limit::Rows, max: 1_048_575, wanted: 1_048_576 })
    ));
    assert!(bytes.is_empty());
    words().with_expected_rows(1_048_575).check(Format::Xlsx).unwrap();
    words().with_expected_rows(u64::MAX).check(Format::Parquet).unwrap();

    let columns =
        (0..16_385).map(|number| Column::new(number.to_string(), "", ColumnKind::Integer)).collect();
    let refused = Table::new("Wide", columns).unwrap().check(Format::Xlsx);
    assert!(matches!(refused, Err(Error::TooLarge { limit: Limit::Columns, max: 16_384, wanted: 16_385 })));
}

#[test]
fn lines_of_headings_count_against_the_rows_of_a_sheet() {
    let column = Column::new("a", "A", ColumnKind::Integer).with_group_headings(["x", "y"]);
    let table = Table::new("Deep", vec![column]).unwrap();
    table.clone().with_expected_rows(1_048_573).check(Format::Xlsx).unwrap();
    assert!(table.with_expected_rows(1_048_574).check(Format::Xlsx).is_err());
}

#[test]
fn the_row_that_is_one_too_many_is_refused_and_the_file_can_be_finished() {
    let table = Table::new("Full", vec![Column::new("n", "N", ColumnKind::Integer)]).unwrap();
    let mut sink = io::sink();
    let mut writer = Writer::new(Format::Xlsx, table, &mut sink).unwrap();
    for _ in 0..1_048_575 {
        writer.write(&[Cell::Empty]).unwrap();
    }
    let refused = writer.write(&[Cell::Empty]);
    assert!(matches!(refused, Err(Error::TooLarge { limit: Limit::Rows, .. })), "{refused:?}");
    assert_eq!(writer.finish().unwrap().rows, 1_048_575);
}

#[test]
fn tables_need_columns_with_keys_of_their_own() {
    assert!(matches!(Table::new("None", vec![]), Err(Error::NoColumns)));
    let twice = vec![Column::new("a", "A", ColumnKind::Text), Column::new("a", "B", ColumnKind::Text)];
    assert!(matches!(Table::new("Twice", twice), Err(Error::DuplicateKey(key)) if key == "a"));
}

#[test]
fn rows_that_do_not_fit_the_columns_are_refused_and_leave_no_trace() {
    for format in Format::ALL {
        let mut bytes = Vec::new();
        let mut writer = Writer::new(format, words(), &mut bytes).unwrap();
        assert!(matches!(writer.write(&[]), Err(Error::RowLength { columns: 1, found: 0 })));
        assert!(matches!(writer.write(&[Cell::Integer(1)]), Err(Error::CellKind { .. })));
        writer.write(&[Cell::Text("x")]).unwrap();
        assert_eq!(writer.finish().unwrap().rows, 1);
        let (plain, _) = file(format, words(), &[&[Cell::Text("x")]]).unwrap();
        assert_eq!(bytes, plain);
    }
}
