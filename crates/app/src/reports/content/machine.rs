//! The document about a machine.

use documents::{Align, Block, Row, Table, Text};
use domain::insights::{Dimension, Interval};
use texts::reports;

use super::composer::Composer;
use super::formats::NO_VALUE;
use super::sections::{nothing_happened, section};
use super::site_safety::{devices, first_page};
use super::summary::Compared;
use super::tables::{MAX_ROWS, PartTable, column, more_rows, plain_row};
use super::worst::Searched;
use super::{charts, duration_chart, maps, outliers, tables, week_chart};

pub(super) fn blocks(composer: &Composer<'_>) -> Vec<Block> {
    let compared = Compared::new(Some(("by_operator", Dimension::Operator)));
    let searched = Searched {
        main: "main",
        pattern: "pattern",
        parts: &[("by_operator", Dimension::Operator), ("by_pedestrian", Dimension::Pedestrian)],
    };
    let mut blocks = first_page(composer, compared, searched);
    if compared.incursions(composer) == 0 {
        blocks.push(nothing_happened(composer));
    }
    blocks.extend(charts::section_over_time(composer, ("main", "by_day"), Interval::Day));
    blocks.extend(section(composer, reports::RUNTIME, [charts::runtime_over_time(composer, "runtime")]));
    blocks.extend(section(composer, reports::WHEN, [week_chart::hours_of_week(composer, "pattern")]));
    blocks.extend(section(composer, reports::WHERE, [maps::map(composer, "pattern")]));
    let operators = PartTable {
        answer: "main",
        grouping: "by_operator",
        dimension: Dimension::Operator,
        previous: Some("previous"),
        title: reports::OPERATORS,
    };
    let on_foot = PartTable {
        grouping: "by_pedestrian",
        dimension: Dimension::Pedestrian,
        previous: None,
        title: reports::PEOPLE_ON_FOOT,
        ..operators
    };
    let worksites = PartTable {
        grouping: "by_worksite",
        dimension: Dimension::Worksite,
        title: reports::WORKSITES,
        ..on_foot
    };
    blocks.extend(section(composer, reports::OPERATORS, [tables::parts(composer, operators)]));
    blocks.extend(section(composer, reports::PEOPLE_ON_FOOT, [tables::parts(composer, on_foot)]));
    blocks.extend(section(composer, reports::WORKSITES, [tables::parts(composer, worksites)]));
    let durations = duration_chart::durations(composer, "pattern", "main");
    blocks.extend(section(composer, reports::HOW_LONG, [durations]));
    blocks.push(composer.heading(reports::COMPARED_WITH_KIND));
    blocks.extend(outliers::blocks(composer));
    blocks.extend(section(composer, reports::ZONE_SIZES, [zone_sizes(composer)]));
    blocks.push(composer.heading(reports::DEVICES));
    blocks.push(devices(composer));
    blocks
}

/// Returns the sizes of the zones in the period: a change of them also changes the number of incursions.
fn zone_sizes(composer: &Composer<'_>) -> Option<Block> {
    let figures = composer.figures();
    if figures.zones.is_empty() {
        return None;
    }
    let (formats, zones) = (composer.formats, composer.time_zones());
    let rows: Vec<Row> = figures
        .zones
        .iter()
        .take(MAX_ROWS)
        .map(|zone| {
            let until = zone.to.map_or(NO_VALUE.to_owned(), |to| formats.minute_in(to, &zones));
            plain_row(vec![
                Text::plain(composer.label(Dimension::BaseStation, Some(zone.base_station))),
                Text::plain(zone.antenna.clone()),
                Text::plain(formats.distance(zone.warning_cm)),
                Text::plain(formats.distance(zone.danger_cm)),
                Text::plain(formats.minute_in(zone.from, &zones)),
                Text::plain(until),
            ])
        })
        .collect();
    let language = composer.language();
    let zone = |word: &str| texts::values::zone(language, word);
    Some(Block::Table(Table {
        title: composer.text(reports::ZONE_SIZES),
        summary: composer.text(reports::TABLE_OF_ZONE_SIZES),
        columns: vec![
            column(texts::values::dimension(language, "base_station"), Align::Start, 1.6),
            column(composer.text(reports::ANTENNA), Align::Start, 1.4),
            column(zone("warning"), Align::End, 1.0),
            column(zone("danger"), Align::End, 1.0),
            column(composer.text(reports::FROM), Align::Start, 1.8),
            column(composer.text(reports::UNTIL), Align::Start, 1.8),
        ],
        rows,
        note: more_rows(composer, figures.zones.len().saturating_sub(MAX_ROWS) as u64),
    }))
}
