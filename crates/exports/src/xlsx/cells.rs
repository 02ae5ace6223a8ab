//! Writes the rows of a sheet as XML.

use super::headings::column_letters;
use super::strings::SharedStrings;
use super::styles::{MAX_OUTLINE_LEVELS, Styles};
use super::text::push_cell_text;
use crate::number::{push_decimal, push_integer};
use crate::table::TableLayout;
use crate::time::{LocalDateTime, push_date};
use crate::{Cell, ColumnKind, DurationUnit, RowKind, RowOutline, Table};

/// Spreadsheet programs change integers with more digits.
const MAX_EXACT_INTEGER: u64 = 999_999_999_999_999;
/// 1900-03-01 to 9999-12-31. In this range, the serial number of a day is its distance from 1899-12-30. Earlier, Excel counts a day that
/// never existed.
const SERIAL_DAYS: std::ops::RangeInclusive<i64> = -25_508..=2_932_896;
const SERIAL_OF_1970: i64 = 25_569;
const DAY_US: i64 = 86_400_000_000;

/// The beginning of the cells of each column.
pub(super) struct Cells {
    columns: Vec<ColumnStyle>,
    /// The style of the label by row kind and level, if labels are indented.
    labels: Option<Vec<Vec<StyleAttribute>>>,
}

struct ColumnStyle {
    letters: String,
    kind: ColumnKind,
    styles: Vec<StyleAttribute>,
}

/// The end of a cell's reference, and its style: `" s="3"`.
type StyleAttribute = Vec<u8>;

impl Cells {
    pub fn new(table: &Table, styles: &mut Styles) -> Self {
        let mut columns = Vec::with_capacity(table.columns.len());
        for (place, column) in table.columns.iter().enumerate() {
            let styles =
                RowKind::ALL.map(|weight| style_attribute(styles.style_id(column, table, weight, 0))).into();
            columns.push(ColumnStyle { letters: column_letters(place), kind: column.kind, styles });
        }
        let labels = match (table.layout, table.columns.first()) {
            (TableLayout::Pivot { label_columns: 1, .. }, Some(label)) => Some(
                RowKind::ALL
                    .map(|weight| {
                        (0..=MAX_OUTLINE_LEVELS)
                            .map(|level| style_attribute(styles.style_id(label, table, weight, level)))
                            .collect()
                    })
                    .into(),
            ),
            _ => None,
        };
        Self { columns, labels }
    }

    pub fn push_row(
        &self,
        out: &mut Vec<u8>,
        strings: &mut SharedStrings,
        line: u64,
        rank: RowOutline,
        cells: &[Cell<'_>],
    ) {
        let mut digits = itoa::Buffer::new();
        let line = digits.format(line).as_bytes();
        let level = rank.level.min(MAX_OUTLINE_LEVELS);
        out.extend_from_slice(b"<row r=\"");
        out.extend_from_slice(line);
        if level > 0 {
            out.extend_from_slice(b"\" outlineLevel=\"");
            out.push(b'0' + level);
        }
        out.extend_from_slice(b"\">");
        for (place, (look, cell)) in self.columns.iter().zip(cells).enumerate() {
            if matches!(cell, Cell::Empty | Cell::Text("")) && rank.kind != RowKind::Total {
                continue;
            }
            let style = match &self.labels {
                Some(labels) if place == 0 => &labels[rank.kind as usize][usize::from(level)],
                _ => &look.styles[rank.kind as usize],
            };
            out.extend_from_slice(b"<c r=\"");
            out.extend_from_slice(look.letters.as_bytes());
            out.extend_from_slice(line);
            out.extend_from_slice(style);
            push_content(out, strings, place, look.kind, cell);
        }
        out.extend_from_slice(b"</row>");
    }
}

fn style_attribute(style: usize) -> StyleAttribute {
    if style == 0 { b"\"".to_vec() } else { format!("\" s=\"{style}\"").into_bytes() }
}

/// Appends the rest of a cell: its type, its value and its end.
fn push_content(
    out: &mut Vec<u8>,
    strings: &mut SharedStrings,
    place: usize,
    kind: ColumnKind,
    cell: &Cell<'_>,
) {
    match *cell {
        Cell::Empty => out.extend_from_slice(b"/>"),
        Cell::Text(text) => push_text(out, strings, place, text),
        Cell::Integer(number) => match kind {
            ColumnKind::Duration(unit) => push_value(out, |out| push_duration(out, number, unit)),
            _ if number.unsigned_abs() <= MAX_EXACT_INTEGER => {
                push_value(out, |out| push_integer(out, number));
            }
            _ => push_inline_text(out, |out| push_integer(out, number)),
        },
        Cell::Decimal(number) if number.is_finite() => push_value(out, |out| push_decimal(out, number)),
        Cell::Decimal(_) => out.extend_from_slice(b"/>"),
        Cell::Timestamp { at_us, offset_s } => {
            let local = LocalDateTime::from_offset(at_us, offset_s);
            if SERIAL_DAYS.contains(&local.days) {
                push_value(out, |out| push_serial(out, local.days + SERIAL_OF_1970, local.us_of_day));
            } else {
                push_inline_text(out, |out| local.push(out));
            }
        }
        Cell::Date(days) if SERIAL_DAYS.contains(&i64::from(days)) => {
            push_value(out, |out| push_integer(out, i64::from(days) + SERIAL_OF_1970));
        }
        Cell::Date(days) => push_inline_text(out, |out| push_date(out, i64::from(days))),
        Cell::Boolean(yes) => {
            out.extend_from_slice(if yes { b" t=\"b\"><v>1</v></c>" } else { b" t=\"b\"><v>0</v></c>" });
        }
    }
}

fn push_value(out: &mut Vec<u8>, push: impl FnOnce(&mut Vec<u8>)) {
    out.extend_from_slice(b"><v>");
    push(out);
    out.extend_from_slice(b"</v></c>");
}

fn push_text(out: &mut Vec<u8>, strings: &mut SharedStrings, place: usize, text: &str) {
    if let Some(number) = strings.index(place, text) {
        out.extend_from_slice(b" t=\"s\"><v>");
        push_integer(out, i64::from(number));
        out.extend_from_slice(b"</v></c>");
    } else {
        out.extend_from_slice(b" t=\"inlineStr\"><is>");
        push_cell_text(out, text);
        out.extend_from_slice(b"</is></c>");
    }
}

/// Appends generated text that needs no escaping. A sign at its beginning belongs to a year or a number.
fn push_inline_text(out: &mut Vec<u8>, push: impl FnOnce(&mut Vec<u8>)) {
    out.extend_from_slice(b" t=\"inlineStr\"><is><t>");
    push(out);
    out.extend_from_slice(b"</t></is></c>");
}

/// Appends a duration as a number of days.
fn push_duration(out: &mut Vec<u8>, number: i64, unit: DurationUnit) {
    let unit_us: i128 = match unit {
        DurationUnit::Milliseconds => 1_000,
        DurationUnit::Seconds => 1_000_000,
    };
    let us = i128::from(number).abs() * unit_us;
    if number < 0 {
        out.push(b'-');
    }
    let day_us = i128::from(DAY_US);
    // At most 2^63 seconds, so the days fit.
    push_serial(out, (us / day_us) as i64, (us % day_us) as i64);
}

/// Appends a number of days with ten decimal places: a resolution of 9 microseconds, and all digits that a sheet keeps.
fn push_serial(out: &mut Vec<u8>, days: i64, us_of_day: i64) {
    const PARTS: i64 = 10_000_000_000;
    // PARTS / DAY_US in lowest terms, so that the product fits; rounded.
    const { assert!(PARTS * 216 == DAY_US * 25) };
    let part = (us_of_day * 25 + 108) / 216;
    push_integer(out, days + part / PARTS);
    let mut part = part % PARTS;
    if part == 0 {
        return;
    }
    let mut digits = *b".0000000000";
    for digit in digits.iter_mut().skip(1).rev() {
        *digit = b'0' + (part % 10) as u8;
        part /= 10;
    }
    let length = digits.iter().rposition(|digit| *digit != b'0').unwrap_or(0) + 1;
    out.extend_from_slice(&digits[..length]);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn days(number: i64, unit: DurationUnit) -> String {
        let mut out = Vec::new();
        push_duration(&mut out, number, unit);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn durations_are_days() {
        assert_eq!(days(0, DurationUnit::Seconds), "0");
        assert_eq!(days(86_400, DurationUnit::Seconds), "1");
        assert_eq!(days(43_200_000, DurationUnit::Milliseconds), "0.5");
        assert_eq!(days(-3_600, DurationUnit::Seconds), "-0.0416666667");
        assert_eq!(days(1_500, DurationUnit::Milliseconds), "0.0000173611");
        assert_eq!(days(i64::MIN, DurationUnit::Seconds), "-106751991167300.6459259259");
    }

    #[test]
    fn the_last_moment_of_a_day_does_not_spill_into_digits() {
        let mut out = Vec::new();
        push_serial(&mut out, 45_000, DAY_US - 1);
        assert_eq!(String::from_utf8(out).unwrap(), "45001");
    }
}
