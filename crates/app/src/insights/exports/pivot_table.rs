//! A pivot as a table: subtotals come before their rows, and the total comes last.

use std::collections::HashSet;

use ::exports::{Cell, Column, ColumnKind, DurationUnit, Error, Format, RowKind, RowOutline, Table, Writer};
use domain::insights::{self, Dimension, Figure, Measure};
use domain::locale::DateFormat;
use domain::text::humanize;

use crate::insights::{Labelled, LabelledId, Pivot, PivotRequest, PivotRow, Subtotals};

/// The label of the total row and of the total columns.
const TOTAL: &str = "Total";

/// A pivot with its request and format.
pub(super) struct PivotSheet {
    pub pivot: Pivot,
    pub request: PivotRequest,
    pub format: Format,
}

/// Creates the table of a pivot. A spreadsheet has a column of labels for each row dimension; the other formats, which are for
/// programs, also have the level and the ids.
pub(super) fn table(pivot: &Pivot, request: &PivotRequest, format: Format) -> Result<Table, Error> {
    let mut columns = Vec::new();
    if format != Format::Xlsx {
        columns.push(Column::new("level", "Level", ColumnKind::Integer));
    }
    for (dimension, label) in pivot.dimension_labels.iter().take(request.rows.len()) {
        let word = dimension.as_str();
        if format != Format::Xlsx {
            columns.push(Column::new(format!("{word}_id"), format!("{label} id"), id_kind(*dimension)));
        }
        columns.push(Column::new(word, label, ColumnKind::Text));
    }
    if format == Format::Xlsx && request.rows.is_empty() {
        columns.push(Column::new("rows", "", ColumnKind::Text));
    }
    let mut keys = HashSet::new();
    for column in &pivot.columns {
        let ids: Vec<String> = column.iter().map(id_text).collect();
        let labels: Vec<&str> = column.iter().map(|part| part.label.as_str()).collect();
        for measure in &request.measures {
            let key = ids.iter().map(String::as_str).chain([measure.as_str()]).collect::<Vec<_>>().join(".");
            columns.push(
                measure_column(unique_key(&mut keys, &key), *measure, format)
                    .with_group_headings(labels.iter().copied()),
            );
        }
    }
    if !request.columns.is_empty() {
        let headings: Vec<&str> = request
            .columns
            .iter()
            .enumerate()
            .map(|(place, _)| if place == 0 { TOTAL } else { "" })
            .collect();
        for measure in &request.measures {
            let key = unique_key(&mut keys, &format!("total.{}", measure.as_str()));
            columns.push(measure_column(key, *measure, format).with_group_headings(headings.iter().copied()));
        }
    }
    let levels = u8::try_from(request.rows.len().saturating_sub(1)).unwrap_or(u8::MAX);
    let rows = pivot.rows.len() as u64 + 1;
    Ok(Table::new("Pivot", columns)?
        .with_pivot_layout(request.rows.len().max(1), levels)
        .with_expected_rows(rows))
}

/// Formats dates in the labels of rows and columns.
pub(super) fn format_date_labels(pivot: &mut Pivot, request: &PivotRequest, dates: DateFormat) {
    let write = |dimensions: &[Dimension], keys: &mut [Labelled]| {
        for (dimension, key) in dimensions.iter().zip(keys) {
            if matches!(dimension, Dimension::Hour | Dimension::Day | Dimension::Week | Dimension::Month) {
                key.label = dates.reformat_iso(&key.label);
            }
        }
    };
    pivot.rows.iter_mut().for_each(|row| write(&request.rows, &mut row.keys));
    pivot.columns.iter_mut().for_each(|keys| write(&request.columns, keys));
}

/// Writes a pivot.
#[expect(clippy::needless_pass_by_value, reason = "the pivot is consumed here")]
pub(super) fn write(writer: &mut Writer<'_>, sheet: PivotSheet) -> Result<(), Error> {
    let depth = sheet.request.rows.len();
    let has_sums = sheet.request.subtotals == Subtotals::Shown;
    for row in sheet.pivot.rows.iter().filter(|row| has_sums || row.level == depth) {
        let weight = if row.level < depth { RowKind::Subtotal } else { RowKind::Plain };
        let level = u8::try_from(row.level.saturating_sub(1)).unwrap_or(u8::MAX);
        writer.write_outlined(RowOutline { level, kind: weight }, &cells(&sheet, row))?;
    }
    if !has_sums {
        return Ok(());
    }
    writer.write_outlined(RowOutline { level: 0, kind: RowKind::Total }, &cells(&sheet, &sheet.pivot.totals))
}

fn cells<'a>(sheet: &'a PivotSheet, row: &'a PivotRow) -> Vec<Cell<'a>> {
    let PivotSheet { request, format, .. } = sheet;
    let mut cells = Vec::new();
    if *format != Format::Xlsx {
        cells.push(Cell::Integer(i64::try_from(row.level).unwrap_or(i64::MAX)));
    }
    for place in 0..request.rows.len() {
        let key = row.keys.get(place);
        if *format != Format::Xlsx {
            cells.push(key.map_or(Cell::Empty, id_cell));
        }
        cells.push(match key {
            Some(key) => Cell::Text(&key.label),
            None if *format == Format::Xlsx && row.level == 0 && place == 0 => Cell::Text(TOTAL),
            None => Cell::Empty,
        });
    }
    if *format == Format::Xlsx && request.rows.is_empty() {
        cells.push(Cell::Text(TOTAL));
    }
    let total = (!request.columns.is_empty()).then_some(&row.total);
    for figures in row.cells.iter().chain(total) {
        for (measure, figure) in request.measures.iter().zip(figures) {
            cells.push(figure_cell(*measure, *figure, *format));
        }
    }
    cells
}

/// Returns the value of a figure, or an empty cell if it has none.
fn figure_cell(measure: Measure, figure: Figure, format: Format) -> Cell<'static> {
    if measure.unit() == insights::Unit::Count {
        return Cell::Integer(figure.numerator.unwrap_or(0));
    }
    match figure.value(measure) {
        Err(_) => Cell::Empty,
        // A spreadsheet shows durations as hours, minutes and seconds.
        Ok(seconds) if measure.unit() == insights::Unit::Seconds && format == Format::Xlsx => {
            Cell::Integer((seconds * 1_000.0).round() as i64)
        }
        Ok(value) => Cell::Decimal(value),
    }
}

fn measure_column(key: String, measure: Measure, format: Format) -> Column {
    let is_sheet = format == Format::Xlsx;
    let (kind, unit) = match measure.unit() {
        insights::Unit::Count => (ColumnKind::Integer, ""),
        insights::Unit::Ratio => (ColumnKind::Percent { digits: 1 }, ""),
        insights::Unit::Seconds if is_sheet => (ColumnKind::Duration(DurationUnit::Milliseconds), ""),
        insights::Unit::Seconds => (ColumnKind::Decimal { digits: 3 }, " (s)"),
        insights::Unit::Hours => (ColumnKind::Decimal { digits: 2 }, " (h)"),
        insights::Unit::PerHour => (ColumnKind::Decimal { digits: 3 }, ""),
    };
    Column::new(key, format!("{}{unit}", humanize(measure.as_str())), kind)
}

/// Returns the kind of the id column of a dimension.
const fn id_kind(dimension: Dimension) -> ColumnKind {
    match dimension {
        Dimension::Project
        | Dimension::Worksite
        | Dimension::Machine
        | Dimension::BaseStation
        | Dimension::Pedestrian
        | Dimension::Operator
        | Dimension::Tag
        | Dimension::HourOfDay
        | Dimension::DayOfWeek
        | Dimension::Duration => ColumnKind::Integer,
        Dimension::WorksiteKind
        | Dimension::MachineKind
        | Dimension::PersonKind
        | Dimension::Zone
        | Dimension::Acknowledged
        | Dimension::Review
        | Dimension::Hour
        | Dimension::Day
        | Dimension::Week
        | Dimension::Month
        | Dimension::Cell(_) => ColumnKind::Text,
    }
}

fn id_cell(key: &Labelled) -> Cell<'_> {
    match &key.id {
        LabelledId::Number(number) => Cell::Integer(*number),
        LabelledId::Word(word) => Cell::Text(word),
        LabelledId::None => Cell::Empty,
    }
}

fn id_text(key: &Labelled) -> String {
    match &key.id {
        LabelledId::Number(number) => number.to_string(),
        LabelledId::Word(word) => word.clone(),
        LabelledId::None => "none".to_owned(),
    }
}

/// Returns a key that no earlier column has; several values that this version does not know have the same key.
fn unique_key(keys: &mut HashSet<String>, key: &str) -> String {
    let mut unlike = key.to_owned();
    let mut number = 2;
    while !keys.insert(unlike.clone()) {
        unlike = format!("{key}.{number}");
        number += 1;
    }
    unlike
}
