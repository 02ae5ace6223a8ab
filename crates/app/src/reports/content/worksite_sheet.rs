//! The table of the worksites of a project, as XLSX or CSV.

use std::collections::BTreeSet;

use ::exports::{Column, ColumnKind, Error as TableError, Format, Table};
use domain::insights::{Dimension, Figure, Measure};
use texts::reports;

use super::composer::Composer;
use super::sheet_parts::{Sheet, SheetCell, figure_cell, integer_column, measure_column, plain_rows};
use crate::reports::figures::GroupView;

/// The worksites of a project, each with all measures and its incursions in the period before; also those that have only the latter.
pub(super) fn sheet<'a>(composer: &Composer<'a>, format: Format) -> Result<Sheet<'a>, TableError> {
    let composer = *composer;
    let mut columns = vec![
        integer_column(&composer, "worksite_id", reports::WORKSITE_ID),
        Column::new("worksite", texts::values::dimension(composer.language(), "worksite"), ColumnKind::Text),
    ];
    let measure = |measure: Measure| measure_column(&composer, measure.as_str().to_owned(), measure, format);
    columns.extend(Measure::ALL.map(measure));
    columns.push(integer_column(&composer, "previous_incursions", reports::PREVIOUS_INCURSIONS));
    let figures = composer.figures();
    let before = figures.groups("previous", "by_worksite");
    let now = figures.groups("main", "by_worksite");
    let mut sites: Vec<Option<i64>> = now.iter().chain(&before).map(|group| group.key(0)).collect();
    let mut seen = BTreeSet::new();
    sites.retain(|site| seen.insert(*site));
    let find = |groups: &[GroupView<'a>], site: Option<i64>| {
        groups.iter().find(|group| group.key(0) == site).copied()
    };
    let row = move |site: Option<i64>| {
        let (group, earlier) = (find(&now, site), find(&before, site));
        let mut cells =
            vec![SheetCell::number(site), SheetCell::Text(composer.label(Dimension::Worksite, site))];
        let figure = |measure| group.map_or_else(Figure::default, |group| group.figure(measure));
        cells.extend(Measure::ALL.map(|measure| figure_cell(measure, figure(measure), format)));
        cells.push(SheetCell::Integer(earlier.as_ref().map_or(0, GroupView::incursions)));
        cells
    };
    let table = Table::new(composer.text(reports::WORKSITES), columns)?.with_csv_key_headings();
    Ok(Sheet { table, rows: plain_rows(sites.into_iter().map(row)) })
}
