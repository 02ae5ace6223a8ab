//! What the tables of reports are made of: columns, rows and cells.

use ::exports::{Cell, Column, ColumnKind, DurationUnit, Format, RowOutline, Table};
use domain::Timestamp;
use domain::insights::{Figure, Measure, Unit};

use super::composer::Composer;

/// A cell that owns its text.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum SheetCell {
    Empty,
    Text(String),
    Integer(i64),
    Decimal(f64),
    /// With the offset from UTC of the clock by which it is shown.
    Timestamp(Timestamp, i32),
    /// The number of a day.
    Date(i64),
    Boolean(bool),
}

impl SheetCell {
    pub fn number(number: Option<i64>) -> Self {
        number.map_or(Self::Empty, Self::Integer)
    }

    pub fn text(text: Option<String>) -> Self {
        text.map_or(Self::Empty, Self::Text)
    }

    pub fn as_cell(&self) -> Cell<'_> {
        match self {
            Self::Empty => Cell::Empty,
            Self::Text(text) => Cell::Text(text),
            Self::Integer(number) => Cell::Integer(*number),
            Self::Decimal(number) => Cell::Decimal(*number),
            Self::Timestamp(at, offset_s) => Cell::Timestamp { at_us: at.micros(), offset_s: *offset_s },
            Self::Date(day) => i32::try_from(*day).map_or(Cell::Empty, Cell::Date),
            Self::Boolean(flag) => Cell::Boolean(*flag),
        }
    }
}

/// The rows of a table, made one after the other.
pub(super) type SheetRows<'a> = Box<dyn Iterator<Item = (RowOutline, Vec<SheetCell>)> + 'a>;

/// A table with its rows.
pub(super) struct Sheet<'a> {
    pub table: Table,
    pub rows: SheetRows<'a>,
}

/// Returns rows that are all alike.
pub(super) fn plain_rows<'a>(rows: impl Iterator<Item = Vec<SheetCell>> + 'a) -> SheetRows<'a> {
    Box::new(rows.map(|cells| (RowOutline::default(), cells)))
}

/// Returns the column of a measure. A sheet shows durations as hours, minutes and seconds.
pub(super) fn measure_column(
    composer: &Composer<'_>,
    key: String,
    measure: Measure,
    format: Format,
) -> Column {
    let is_sheet = format == Format::Xlsx;
    let (kind, unit) = match measure.unit() {
        Unit::Count => (ColumnKind::Integer, ""),
        Unit::Ratio => (ColumnKind::Percent { digits: 1 }, ""),
        Unit::Seconds if is_sheet => (ColumnKind::Duration(DurationUnit::Milliseconds), ""),
        Unit::Seconds => (ColumnKind::Decimal { digits: 3 }, " (s)"),
        Unit::Hours => (ColumnKind::Decimal { digits: 2 }, " (h)"),
        Unit::PerHour => (ColumnKind::Decimal { digits: 3 }, ""),
    };
    Column::new(key, format!("{}{unit}", composer.measure(measure)), kind)
}

/// Returns the value of a figure, or an empty cell if it has none.
pub(super) fn figure_cell(measure: Measure, figure: Figure, format: Format) -> SheetCell {
    if measure.unit() == Unit::Count {
        return SheetCell::Integer(figure.numerator.unwrap_or(0));
    }
    match figure.value(measure) {
        Err(_) => SheetCell::Empty,
        Ok(seconds) if measure.unit() == Unit::Seconds && format == Format::Xlsx => {
            SheetCell::Integer((seconds * 1_000.0).round() as i64)
        }
        Ok(value) => SheetCell::Decimal(value),
    }
}

pub(super) fn text_column(composer: &Composer<'_>, key: &str, title: texts::Text) -> Column {
    Column::new(key, composer.text(title), ColumnKind::Text)
}

pub(super) fn integer_column(composer: &Composer<'_>, key: &str, title: texts::Text) -> Column {
    Column::new(key, composer.text(title), ColumnKind::Integer)
}
