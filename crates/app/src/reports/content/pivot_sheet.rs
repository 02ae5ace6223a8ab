//! A pivot as a table: subtotals come before their rows, and the total comes last.

use std::collections::HashSet;

use ::exports::{Column, ColumnKind, Error, Format, RowKind, RowOutline, Table};
use domain::insights::Dimension;
use texts::{documents, reports};

use super::composer::Composer;
use super::pivot::dimension_name;
use super::sheet_parts::{Sheet, SheetCell, figure_cell, measure_column};
use crate::insights::charts::series_key;
use crate::insights::labels::Labels;
use crate::insights::{LabelledId, PivotRequest, Subtotals};
use crate::reports::figures::{PivotFigure, PivotFigureRow, read_figure};

/// Returns the table of a pivot. A spreadsheet has a column of labels for each row dimension; CSV, which is for programs, also has the
/// level and the keys.
pub(super) fn sheet<'a>(composer: &Composer<'a>, format: Format) -> Result<Sheet<'a>, Error> {
    let composer = *composer;
    let (Some(pivot), Some(request)) = (&composer.figures().pivot, &composer.content.request.pivot) else {
        return Err(Error::NoColumns);
    };
    let levels = u8::try_from(request.rows.len().saturating_sub(1)).unwrap_or(u8::MAX);
    let table = Table::new(composer.text(reports::PIVOT_SHEET), columns(&composer, pivot, request, format))?
        .with_pivot_layout(request.rows.len().max(1), levels)
        .with_expected_rows(pivot.rows.len() as u64 + 1);
    let (depth, has_sums) = (request.rows.len(), request.subtotals == Subtotals::Shown);
    let rows = pivot.rows.iter().filter(move |row| has_sums || row.level == depth).map(move |row| {
        let kind = if row.level < depth { RowKind::Subtotal } else { RowKind::Plain };
        let level = u8::try_from(row.level.saturating_sub(1)).unwrap_or(u8::MAX);
        (RowOutline { level, kind }, cells(&composer, request, row, format))
    });
    let total = has_sums.then(|| {
        let outline = RowOutline { level: 0, kind: RowKind::Total };
        (outline, cells(&composer, request, &pivot.totals, format))
    });
    Ok(Sheet { table, rows: Box::new(rows.chain(total)) })
}

fn columns(
    composer: &Composer<'_>,
    pivot: &PivotFigure,
    request: &PivotRequest,
    format: Format,
) -> Vec<Column> {
    let is_sheet = format == Format::Xlsx;
    let mut columns = Vec::new();
    if !is_sheet {
        columns.push(Column::new("level", composer.text(reports::LEVEL), ColumnKind::Integer));
    }
    for dimension in &request.rows {
        let (word, name) = (dimension.as_str(), dimension_name(composer, *dimension));
        if !is_sheet {
            let title = composer.fill(reports::ID_OF, &[("name", &name)]);
            columns.push(Column::new(format!("{word}_id"), title, id_kind(*dimension)));
        }
        columns.push(Column::new(word, name, ColumnKind::Text));
    }
    if is_sheet && request.rows.is_empty() {
        columns.push(Column::new("rows", "", ColumnKind::Text));
    }
    let total = composer.text(documents::TOTAL);
    let mut keys = HashSet::new();
    for column in &pivot.columns {
        let labels = labels(composer, &request.columns, column);
        let keyed = request.columns.iter().zip(column);
        let ids: Vec<String> =
            keyed.map(|(dimension, key)| series_key(&Labels::default().label(*dimension, *key).id)).collect();
        for measure in &request.measures {
            let parts = ids.iter().map(String::as_str).chain([measure.as_str()]);
            let key = unique_key(&mut keys, &parts.collect::<Vec<_>>().join("."));
            columns.push(measure_column(composer, key, *measure, format).with_group_headings(labels.clone()));
        }
    }
    if !request.columns.is_empty() {
        let mut headings = vec![String::new(); request.columns.len()];
        headings[0] = total;
        for measure in &request.measures {
            let key = unique_key(&mut keys, &format!("total.{}", measure.as_str()));
            let column = measure_column(composer, key, *measure, format);
            columns.push(column.with_group_headings(headings.clone()));
        }
    }
    columns
}

fn labels(composer: &Composer<'_>, dimensions: &[Dimension], keys: &[Option<i64>]) -> Vec<String> {
    dimensions.iter().zip(keys).map(|(dimension, key)| composer.label(*dimension, *key)).collect()
}

fn cells(
    composer: &Composer<'_>,
    request: &PivotRequest,
    row: &PivotFigureRow,
    format: Format,
) -> Vec<SheetCell> {
    let is_sheet = format == Format::Xlsx;
    let total = || SheetCell::Text(composer.text(documents::TOTAL));
    let mut cells = Vec::new();
    if !is_sheet {
        cells.push(SheetCell::Integer(i64::try_from(row.level).unwrap_or(i64::MAX)));
    }
    for (place, dimension) in request.rows.iter().enumerate() {
        let key = row.keys.get(place);
        if !is_sheet {
            cells.push(key.map_or(SheetCell::Empty, |key| id_cell(*dimension, *key)));
        }
        cells.push(match key {
            Some(key) => SheetCell::Text(composer.label(*dimension, *key)),
            None if is_sheet && row.level == 0 && place == 0 => total(),
            None => SheetCell::Empty,
        });
    }
    if is_sheet && request.rows.is_empty() {
        cells.push(total());
    }
    let sums = (!request.columns.is_empty()).then_some(&row.total);
    for figures in row.cells.iter().chain(sums) {
        let values = request.measures.iter().zip(figures);
        cells.extend(values.map(|(measure, figure)| figure_cell(*measure, read_figure(*figure), format)));
    }
    cells
}

/// Returns the id of a key, as the API has it.
fn id_cell(dimension: Dimension, key: Option<i64>) -> SheetCell {
    match Labels::default().label(dimension, key).id {
        LabelledId::Number(number) => SheetCell::Integer(number),
        LabelledId::Word(word) => SheetCell::Text(word),
        LabelledId::None => SheetCell::Empty,
    }
}

/// Returns the kind of the column of ids: numbers for records, hours and days of the week, words for all others.
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
        _ => ColumnKind::Text,
    }
}

/// Returns a key that no earlier column has.
fn unique_key(keys: &mut HashSet<String>, key: &str) -> String {
    let mut unlike = key.to_owned();
    let mut number = 2;
    while !keys.insert(unlike.clone()) {
        unlike = format!("{key}.{number}");
        number += 1;
    }
    unlike
}
