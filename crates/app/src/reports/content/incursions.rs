//! The document of a list of incursions.

use documents::{Align, Block, Row, Table, Text};
use domain::insights::{Dimension, Interval};
use texts::{reports, values};

use super::composer::Composer;
use super::formats::NO_VALUE;
use super::sections::{nothing_happened, section};
use super::site_safety::first_page;
use super::summary::Compared;
use super::tables::{MAX_DOCUMENT_ROWS, PartTable, column, more_rows, plain_row};
use super::worst::Searched;
use super::{charts, tables};
use crate::reports::figures::IncursionFigure;

pub(super) fn blocks(composer: &Composer<'_>) -> Vec<Block> {
    let compared = Compared::new(Some(("by_machine", Dimension::Machine)));
    let searched =
        Searched { main: "main", pattern: "pattern", parts: &[("by_machine", Dimension::Machine)] };
    let mut blocks = first_page(composer, compared, searched);
    if compared.incursions(composer) == 0 {
        blocks.push(nothing_happened(composer));
    }
    let machines = PartTable {
        answer: "main",
        grouping: "by_machine",
        dimension: Dimension::Machine,
        previous: Some("previous"),
        title: reports::MACHINES,
    };
    let zones =
        PartTable { grouping: "by_zone", dimension: Dimension::Zone, title: reports::ZONES, ..machines };
    blocks.extend(charts::section_over_time(composer, ("main", "by_day"), Interval::Day));
    blocks.extend(section(composer, reports::ZONES, [tables::parts(composer, zones)]));
    blocks.extend(section(composer, reports::MACHINES, [tables::parts(composer, machines)]));
    blocks.extend(section(composer, reports::SINGLE_INCURSIONS, [single(composer)]));
    blocks
}

fn single(composer: &Composer<'_>) -> Option<Block> {
    let all = &composer.figures().incursions;
    if all.is_empty() {
        return None;
    }
    let language = composer.language();
    let dimension = |word: &str| values::dimension(language, word);
    let most = MAX_DOCUMENT_ROWS;
    let rows = all.iter().take(most).take_while(|_| composer.is_in_time());
    Some(Block::Table(Table {
        title: composer.text(reports::SINGLE_INCURSIONS),
        summary: composer.text(reports::TABLE_OF_INCURSIONS),
        columns: vec![
            column(composer.text(reports::STARTED), Align::Start, 1.7),
            column(composer.text(reports::LENGTH), Align::End, 1.0),
            column(dimension("zone"), Align::Start, 1.1),
            column(composer.text(reports::ACKNOWLEDGED_AFTER), Align::End, 1.2),
            column(composer.text(reports::CLOSEST), Align::End, 0.9),
            column(dimension("machine"), Align::Start, 1.5),
            column(dimension("pedestrian"), Align::Start, 1.5),
            column(dimension("operator"), Align::Start, 1.5),
            column(dimension("worksite"), Align::Start, 1.4),
            column(dimension("review"), Align::Start, 1.2),
        ],
        rows: rows.map(|row| incursion_row(composer, row)).collect(),
        note: more_rows(composer, all.len().saturating_sub(most) as u64),
    }))
}

fn incursion_row(composer: &Composer<'_>, row: &IncursionFigure) -> Row {
    let (formats, language) = (composer.formats, composer.language());
    let or_none = |text: Option<String>| Text::plain(text.unwrap_or_else(|| NO_VALUE.to_owned()));
    let linked = |dimension: Dimension, key: Option<i64>| match key {
        Some(_) => composer.linked(dimension, key),
        None => Text::plain(NO_VALUE),
    };
    plain_row(vec![
        Text::plain(formats.minute(row.started_at, row.offset_s)),
        or_none(row.ended_at.map(|ended_at| formats.span(ended_at - row.started_at))),
        Text::plain(values::zone(language, &row.zone)),
        or_none(row.acknowledged_at.map(|at| formats.span(at - row.started_at))),
        or_none(row.closest_cm.map(|closest_cm| formats.distance(closest_cm))),
        linked(Dimension::Machine, row.machine),
        linked(Dimension::Pedestrian, row.pedestrian),
        linked(Dimension::Operator, row.operator),
        linked(Dimension::Worksite, row.worksite),
        Text::plain(values::review(language, &row.review)),
    ])
}
