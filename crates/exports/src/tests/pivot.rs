//! Pivots in a sheet: nested headings, nested rows, totals, and styles of cells.

use std::io::Read;

use calamine::{Data, Reader};
use flate2::read::DeflateDecoder;

use super::xlsx::open;
use crate::{Cell, Column, ColumnKind, DateOrder, DurationUnit, Format, RowKind, RowOutline, Table, Writer};

/// Returns the content of a ZIP entry, found by its local header.
fn entry(bytes: &[u8], name: &str) -> String {
    let place = bytes.windows(name.len()).position(|window| window == name.as_bytes()).unwrap();
    let mut text = String::new();
    DeflateDecoder::new(&bytes[place + name.len()..]).read_to_string(&mut text).unwrap();
    text
}

fn pivot() -> Vec<u8> {
    let measure = |key: &str, month: &str, title: &str, kind| {
        Column::new(key, title, kind).with_group_headings([month])
    };
    let columns = vec![
        Column::new("label", "Site, machine", ColumnKind::Text),
        measure("1.incursions", "March", "Incursions", ColumnKind::Integer),
        measure("1.rate", "March", "Acknowledged", ColumnKind::Percent { digits: 1 }),
        measure("2.incursions", "April", "Incursions", ColumnKind::Integer),
        measure("2.length", "April", "Average", ColumnKind::Duration(DurationUnit::Seconds)),
    ];
    let table = Table::new("Pivot", columns)
        .unwrap()
        .with_pivot_layout(1, 1)
        .with_date_order(DateOrder::MonthDayYear);
    let mut bytes = Vec::new();
    let mut writer = Writer::new(Format::Xlsx, table, &mut bytes).unwrap();
    let row = |label, count| {
        [
            Cell::Text(label),
            Cell::Integer(count),
            Cell::Decimal(0.25),
            Cell::Integer(count),
            Cell::Integer(90),
        ]
    };
    writer.write_outlined(RowOutline { level: 0, kind: RowKind::Subtotal }, &row("North", 7)).unwrap();
    writer.write_outlined(RowOutline { level: 1, kind: RowKind::Plain }, &row("Crane 1", 3)).unwrap();
    writer.write_outlined(RowOutline { level: 1, kind: RowKind::Plain }, &row("Crane 2", 4)).unwrap();
    let mut total = row("All", 7);
    total[4] = Cell::Empty;
    writer.write_outlined(RowOutline { level: 0, kind: RowKind::Total }, &total).unwrap();
    writer.finish().unwrap();
    bytes
}

#[test]
fn headings_stand_over_what_they_have_in_common() {
    let mut book = open(pivot());
    let range = book.worksheet_range("Pivot").unwrap();
    let text = |line, column| range.get_value((line, column)).cloned().unwrap_or_default();
    assert_eq!(text(0, 1), Data::String("March".into()));
    assert_eq!(text(0, 2), Data::Empty);
    assert_eq!(text(0, 3), Data::String("April".into()));
    assert_eq!(text(1, 0), Data::String("Site, machine".into()));
    assert_eq!(text(2, 0), Data::String("North".into()));
    assert_eq!(text(5, 0), Data::String("All".into()));
    let merged = book.merge_cells_by_sheet_name("Pivot").unwrap();
    let merged: Vec<_> = merged.iter().map(|area| (area.start, area.end)).collect();
    assert_eq!(merged, [((0, 1), (0, 2)), ((0, 3), (0, 4))]);
}

#[test]
fn rows_fold_into_the_row_above_and_the_labels_stay_in_view() {
    let sheet = entry(&pivot(), "xl/worksheets/sheet1.xml");
    assert!(sheet.contains("<outlinePr summaryBelow=\"0\"/>"));
    assert!(sheet.contains("outlineLevelRow=\"1\""));
    assert!(sheet.contains("xSplit=\"1\" ySplit=\"2\" topLeftCell=\"B3\""));
    assert!(sheet.contains("<row r=\"3\"><c"));
    assert!(sheet.contains("<row r=\"4\" outlineLevel=\"1\"><c"));
    assert!(!sheet.contains("<autoFilter"));
}

#[test]
fn sums_are_bold_labels_indented_and_numbers_formatted() {
    let bytes = pivot();
    let (sheet, styles) = (entry(&bytes, "xl/worksheets/sheet1.xml"), entry(&bytes, "xl/styles.xml"));
    let styles = styles.split_once("<cellXfs").unwrap().1;
    let all: Vec<&str> = styles.split("<xf ").skip(1).collect();
    let style_of = |place: &str| {
        let rest = sheet.split_once(&format!("<c r=\"{place}\"")).unwrap().1;
        let number = rest
            .strip_prefix(" s=\"")
            .and_then(|rest| rest.split_once('"'))
            .map_or(0, |(number, _)| number.parse().unwrap());
        all[number]
    };
    assert!(style_of("A3").contains("fontId=\"1\""));
    assert!(style_of("A4").contains("fontId=\"0\"") && style_of("A4").contains("indent=\"1\""));
    assert!(style_of("B6").contains("fontId=\"1\"") && style_of("B6").contains("borderId=\"2\""));
    // The empty cell of the total has the line above it too.
    assert!(style_of("E6").contains("borderId=\"2\""));
    let whole = entry(&bytes, "xl/styles.xml");
    for code in ["\"0.0%\"", "\"[h]:mm:ss\"", "\"0\""] {
        assert!(whole.contains(code), "{code}");
    }
}

#[test]
fn a_list_can_be_filtered_and_keeps_its_titles_in_view() {
    let columns = vec![
        Column::new("at", "At", ColumnKind::Timestamp),
        Column::new("note", "Note", ColumnKind::Text).with_width(33),
    ];
    let table = Table::new("A list", columns).unwrap();
    let mut bytes = Vec::new();
    let mut writer = Writer::new(Format::Xlsx, table, &mut bytes).unwrap();
    for number in 0..1_000 {
        writer.write(&[Cell::Timestamp { at_us: number, offset_s: 0 }, Cell::Text("x")]).unwrap();
    }
    writer.finish().unwrap();
    let sheet = entry(&bytes, "xl/worksheets/sheet1.xml");
    assert!(sheet.contains("<autoFilter ref=\"A1:B1001\"/>"));
    assert!(sheet.contains("<pane ySplit=\"1\" topLeftCell=\"A2\""));
    assert!(sheet.contains("<col min=\"2\" max=\"2\" width=\"33\""));
    assert!(entry(&bytes, "xl/workbook.xml").contains("'A list'!$A$1:$B$1001"));
    assert!(entry(&bytes, "xl/styles.xml").contains(r#""dd\/mm\/yyyy hh:mm:ss""#));
}

#[test]
fn a_sheet_shows_dates_as_it_is_told() {
    for (order, code) in
        [(DateOrder::MonthDayYear, r#""mm\/dd\/yyyy""#), (DateOrder::YearMonthDay, r#""yyyy\-mm\-dd""#)]
    {
        let table = Table::new("Days", vec![Column::new("day", "Day", ColumnKind::Date)])
            .unwrap()
            .with_date_order(order);
        let mut bytes = Vec::new();
        let mut writer = Writer::new(Format::Xlsx, table, &mut bytes).unwrap();
        writer.write(&[Cell::Date(20_513)]).unwrap();
        writer.finish().unwrap();
        assert!(entry(&bytes, "xl/styles.xml").contains(code), "{code}");
    }
}
