//! The document of a pivot.

use documents::{Align, Block, Column, Metric, Row, RowKind, Table, Text};
use domain::insights::{Dimension, Measure};
use texts::reports;

use super::composer::{Composer, and_names};
use super::site_safety::findings;
use super::summary::Compared;
use super::tables::{column, more_rows};
use super::worst::Searched;
use crate::insights::{PivotRequest, Subtotals};
use crate::reports::figures::{PivotFigure, PivotFigureRow, StoredFigure, read_figure};
use crate::reports::size_limits::{MAX_PDF_PIVOT_COLUMNS, MAX_PDF_PIVOT_ROWS};

/// Up to this many totals are shown above the table.
const MAX_METRICS: usize = 4;

pub(super) fn blocks(composer: &Composer<'_>) -> Vec<Block> {
    let (Some(pivot), Some(request)) = (&composer.figures().pivot, &composer.content.request.pivot) else {
        return vec![composer.paragraph(reports::NO_INCURSIONS)];
    };
    let metric = |(measure, figure): (&Measure, &StoredFigure)| Metric {
        label: composer.measure(*measure).to_owned(),
        value: composer.formats.value(*measure, read_figure(*figure)),
        change: None,
        note: composer.text(reports::IN_ALL),
    };
    let metrics = request.measures.iter().zip(&pivot.totals.total).take(MAX_METRICS).map(metric).collect();
    let dimensions = |all: &[Dimension]| {
        let names: Vec<String> = all.iter().map(|one| dimension_name(composer, *one)).collect();
        Text::plain(composer.formats.list(&names))
    };
    let measures: Vec<String> =
        request.measures.iter().map(|measure| composer.measure(*measure).to_owned()).collect();
    let details = vec![
        (composer.text(reports::ROWS), dimensions(&request.rows)),
        (composer.text(reports::COLUMNS), dimensions(&request.columns)),
        (composer.text(reports::MEASURES), Text::plain(composer.formats.list(&measures))),
    ];
    let searched = Searched {
        main: "main",
        pattern: "pattern",
        parts: &[("by_worksite", Dimension::Worksite), ("by_machine", Dimension::Machine)],
    };
    let mut blocks = vec![Block::Metrics(metrics)];
    // Figures that were stored by earlier versions have nothing to compare with.
    if composer.figures().previous.is_some() {
        blocks.push(findings(composer, Compared::new(None), searched));
    }
    blocks.push(Block::Details(details));
    blocks.push(composer.heading(reports::TABLE));
    blocks.push(Block::Table(table(composer, pivot, request)));
    blocks
}

/// Names a dimension as the reader prefers.
pub(super) fn dimension_name(composer: &Composer<'_>, dimension: Dimension) -> String {
    match composer.content.request.preferences.dimensions.label(dimension) {
        Some(own) => own.as_str().to_owned(),
        None => texts::values::dimension(composer.language(), dimension.as_str()).to_owned(),
    }
}

fn table(composer: &Composer<'_>, pivot: &PivotFigure, request: &PivotRequest) -> Table {
    let columns = columns(composer, pivot, request);
    let has_sums = request.subtotals == Subtotals::Shown;
    let depth = request.rows.len();
    let is_shown = |row: &&PivotFigureRow| has_sums || row.level == depth;
    let mut rows: Vec<Row> = pivot
        .rows
        .iter()
        .filter(is_shown)
        .take_while(|_| composer.is_in_time())
        .take(MAX_PDF_PIVOT_ROWS)
        .map(|row| {
            let place = row.level.saturating_sub(1);
            let label = match (request.rows.get(place), row.keys.get(place)) {
                (Some(dimension), Some(key)) => composer.linked(*dimension, *key),
                _ => Text::default(),
            };
            let kind = if row.level < depth { RowKind::Subtotal } else { RowKind::Plain };
            // Without subtotals, a row has no parent above it, so it names all of its keys.
            let (label, indent) = match has_sums {
                true => (label, u8::try_from(place).unwrap_or(u8::MAX)),
                false => {
                    let labels = all_labels(composer, &request.rows, &row.keys);
                    (and_names(Text::default(), &labels, " / "), 0)
                }
            };
            Row { cells: cells(composer, request, label, row), kind, indent }
        })
        .collect();
    if has_sums {
        let label = Text::plain(composer.text(texts::documents::TOTAL));
        let cells = cells(composer, request, label, &pivot.totals);
        rows.push(Row { cells, kind: RowKind::Total, indent: 0 });
    }
    let title = composer.text(reports::TABLE);
    Table {
        summary: composer.text(reports::TABLE_OF_PIVOT),
        title,
        columns,
        rows,
        note: more_rows(composer, pivot.totals.more),
    }
}

fn all_labels(composer: &Composer<'_>, dimensions: &[Dimension], keys: &[Option<i64>]) -> Vec<String> {
    dimensions.iter().zip(keys).map(|(dimension, key)| composer.label(*dimension, *key)).collect()
}

fn columns(composer: &Composer<'_>, pivot: &PivotFigure, request: &PivotRequest) -> Vec<Column> {
    let names: Vec<String> = request.rows.iter().map(|one| dimension_name(composer, *one)).collect();
    let mut columns = vec![column(names.join(" / "), Align::Start, 3.0)];
    let total = composer.text(texts::documents::TOTAL);
    let headings = pivot.columns.iter().map(|keys| all_labels(composer, &request.columns, keys).join(" / "));
    let headings = headings.chain((!request.columns.is_empty()).then_some(total));
    for heading in headings {
        for measure in &request.measures {
            let title = match (heading.is_empty(), request.measures.len()) {
                (true, _) => composer.measure(*measure).to_owned(),
                (false, 1) => heading.clone(),
                (false, _) => format!("{heading}: {}", composer.measure(*measure)),
            };
            columns.push(column(title, Align::End, 1.4));
        }
    }
    columns.truncate(1 + max_values(request));
    columns
}

fn cells(composer: &Composer<'_>, request: &PivotRequest, label: Text, row: &PivotFigureRow) -> Vec<Text> {
    let total = (!request.columns.is_empty()).then_some(&row.total);
    let values = row.cells.iter().chain(total).flat_map(|figures| request.measures.iter().zip(figures));
    let values = values.map(|(measure, figure)| composer.formats.value(*measure, read_figure(*figure)));
    let mut cells = vec![label];
    cells.extend(values.take(max_values(request)).map(Text::plain));
    cells
}

/// Returns the maximum number of values in a row: cells and totals.
fn max_values(request: &PivotRequest) -> usize {
    MAX_PDF_PIVOT_COLUMNS + request.measures.len()
}
