//! Tables of a document: groups with their numbers.

use documents::{Align, Block, Column, Row, RowKind, Table, Text};
use domain::insights::{Dimension, Measure};
use texts::reports;

use super::composer::Composer;
use super::formats::NO_VALUE;
use crate::reports::figures::GroupView;
use crate::reports::size_limits::MAX_PDF_ROWS;

/// Maximum number of rows of a table of groups.
pub(super) const MAX_ROWS: usize = 25;
/// Maximum number of rows of a table of single records.
pub(super) const MAX_DOCUMENT_ROWS: usize = MAX_PDF_ROWS;

/// A table of groups: each with its incursions, their change, and more.
#[derive(Clone, Copy)]
pub(super) struct PartTable {
    pub answer: &'static str,
    pub grouping: &'static str,
    pub dimension: Dimension,
    /// The answer with the same grouping of the period before.
    pub previous: Option<&'static str>,
    pub title: texts::Text,
}

pub(super) fn column(title: impl Into<String>, align: Align, share: f32) -> Column {
    Column { title: title.into(), align, share }
}

pub(super) fn plain_row(cells: Vec<Text>) -> Row {
    Row { cells, kind: RowKind::Plain, indent: 0 }
}

/// Returns the note of a table that leaves rows out.
pub(super) fn more_rows(composer: &Composer<'_>, left_out: u64) -> Option<String> {
    let number = i64::try_from(left_out).unwrap_or(i64::MAX);
    (left_out > 0).then(|| composer.counted(texts::documents::MORE_ROWS, number, &[]))
}

/// Returns a table of groups; none if there are no groups with incursions.
pub(super) fn parts(composer: &Composer<'_>, table: PartTable) -> Option<Block> {
    let figures = composer.figures();
    let groups = figures.groups(table.answer, table.grouping);
    let shown: Vec<GroupView<'_>> = groups.iter().filter(|group| group.incursions() > 0).copied().collect();
    if shown.is_empty() {
        return None;
    }
    let left_out = shown.len().saturating_sub(MAX_ROWS) as u64 + figures.more(table.answer, table.grouping);
    let has_runtime = table.dimension.applies_to_runtime() && shown.iter().any(has_rate);
    let measures: Vec<Measure> = [
        Some(Measure::Incursions),
        has_runtime.then_some(Measure::IncursionsPerRuntimeHour),
        Some(Measure::AcknowledgementRate),
        Some(Measure::Exposure),
    ]
    .into_iter()
    .flatten()
    .collect();
    let title = composer.text(table.title);
    let part = texts::values::dimension(composer.language(), table.dimension.as_str());
    let mut columns = vec![column(part, Align::Start, 3.0)];
    columns.extend(measures.iter().map(|measure| column(composer.measure(*measure), Align::End, 1.4)));
    let previous = table.previous.filter(|previous| composer.is_comparable_with(previous));
    if previous.is_some() {
        columns.push(column(composer.text(reports::CHANGE), Align::End, 1.4));
    }
    let before = previous.map(|previous| figures.groups(previous, table.grouping));
    let row = |group: &GroupView<'_>| {
        let mut cells = vec![composer.linked(table.dimension, group.key(0))];
        let value = |measure: &Measure| composer.formats.value(*measure, group.figure(*measure));
        cells.extend(measures.iter().map(value).map(Text::plain));
        cells.extend(before.as_ref().map(|before| Text::plain(change(composer, group, before))));
        plain_row(cells)
    };
    Some(Block::Table(Table {
        summary: composer.fill(reports::TABLE_OF_PARTS, &[("title", &title), ("part", part)]),
        title,
        columns,
        rows: shown.iter().take(MAX_ROWS).map(row).collect(),
        note: more_rows(composer, left_out),
    }))
}

fn has_rate(group: &GroupView<'_>) -> bool {
    let measure = Measure::IncursionsPerRuntimeHour;
    group.figure(measure).value(measure).is_ok()
}

/// Returns how the incursions of a group differ from those before.
fn change(composer: &Composer<'_>, group: &GroupView<'_>, before: &[GroupView<'_>]) -> String {
    let earlier = before.iter().find(|earlier| earlier.keys == group.keys).map_or(0, GroupView::incursions);
    let difference = group.incursions() - earlier;
    match difference {
        0 => "0".to_owned(),
        1.. => format!("+{}", composer.formats.count(difference)),
        _ => composer.formats.count(difference),
    }
}

/// Returns the table of machines and people on foot who met most often.
pub(super) fn pairs(composer: &Composer<'_>, answer: &str) -> Option<Block> {
    let figures = composer.figures();
    let groups = figures.groups(answer, "by_pair");
    let is_known = |group: &&GroupView<'_>| group.key(0).is_some() && group.key(1).is_some();
    let rows: Vec<Row> = groups
        .iter()
        .filter(is_known)
        .filter(|group| group.incursions() > 1)
        .map(|group| {
            plain_row(vec![
                composer.linked(Dimension::Machine, group.key(0)),
                composer.linked(Dimension::Pedestrian, group.key(1)),
                Text::plain(composer.formats.count(group.incursions())),
                Text::plain(
                    composer
                        .formats
                        .value(Measure::AcknowledgementRate, group.figure(Measure::AcknowledgementRate)),
                ),
                Text::plain(composer.formats.value(Measure::Exposure, group.figure(Measure::Exposure))),
            ])
        })
        .collect();
    if rows.is_empty() {
        return None;
    }
    let language = composer.language();
    let dimension = |dimension: Dimension| texts::values::dimension(language, dimension.as_str());
    Some(Block::Table(Table {
        title: composer.text(reports::PAIRS),
        summary: composer.text(reports::TABLE_OF_PAIRS),
        columns: vec![
            column(dimension(Dimension::Machine), Align::Start, 2.5),
            column(dimension(Dimension::Pedestrian), Align::Start, 2.5),
            column(composer.measure(Measure::Incursions), Align::End, 1.4),
            column(composer.measure(Measure::AcknowledgementRate), Align::End, 1.6),
            column(composer.measure(Measure::Exposure), Align::End, 1.4),
        ],
        rows,
        note: more_rows(composer, figures.more(answer, "by_pair")),
    }))
}

/// Returns the table of devices without contact.
pub(super) fn silent_stations(composer: &Composer<'_>) -> Option<Block> {
    let figures = composer.figures();
    if figures.silent.is_empty() {
        return None;
    }
    let zones = composer.time_zones();
    let row = |silent: &crate::reports::figures::SilentFigure| {
        let seen =
            silent.last_seen_at.map_or(NO_VALUE.to_owned(), |at| composer.formats.minute_in(at, &zones));
        plain_row(vec![
            Text::plain(composer.label(Dimension::BaseStation, Some(silent.base_station))),
            composer.linked(Dimension::Machine, silent.machine),
            Text::plain(seen),
        ])
    };
    let language = composer.language();
    let dimension = |dimension: Dimension| texts::values::dimension(language, dimension.as_str());
    let left_out = figures.silent.len().saturating_sub(MAX_ROWS) as u64;
    Some(Block::Table(Table {
        title: composer.text(reports::SILENT_STATIONS),
        summary: composer.text(reports::TABLE_OF_SILENT_STATIONS),
        columns: vec![
            column(dimension(Dimension::BaseStation), Align::Start, 2.0),
            column(dimension(Dimension::Machine), Align::Start, 2.0),
            column(composer.text(reports::LAST_SEEN), Align::Start, 2.0),
        ],
        rows: figures.silent.iter().take(MAX_ROWS).map(row).collect(),
        note: more_rows(composer, left_out),
    }))
}
