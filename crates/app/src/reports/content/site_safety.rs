//! The document about a worksite.

use documents::{Block, Text};
use domain::insights::{Dimension, Interval};
use texts::reports;

use super::composer::Composer;
use super::sections::{nothing_happened, section};
use super::summary::Compared;
use super::tables::PartTable;
use super::worst::Searched;
use super::{advice, charts, duration_chart, maps, outliers, summary, tables, week_chart, worst};

pub(super) fn blocks(composer: &Composer<'_>) -> Vec<Block> {
    let compared = Compared::new(Some(("by_machine", Dimension::Machine)));
    let searched =
        Searched { main: "main", pattern: "pattern", parts: &[("by_machine", Dimension::Machine)] };
    let mut blocks = first_page(composer, compared, searched);
    if compared.incursions(composer) == 0 {
        blocks.push(nothing_happened(composer));
    }
    blocks.extend(charts::section_over_time(composer, ("main", "by_day"), Interval::Day));
    blocks.extend(section(composer, reports::WHEN, [week_chart::hours_of_week(composer, "pattern")]));
    blocks.extend(section(composer, reports::WHERE, [maps::map(composer, "pattern")]));
    let part = |grouping, dimension, title| {
        let (answer, previous) = ("main", None);
        PartTable { answer, grouping, dimension, previous, title }
    };
    let machines =
        PartTable { previous: Some("previous"), ..part("by_machine", Dimension::Machine, reports::MACHINES) };
    let on_foot = part("by_pedestrian", Dimension::Pedestrian, reports::PEOPLE_ON_FOOT);
    let operators = part("by_operator", Dimension::Operator, reports::OPERATORS);
    blocks.extend(section(composer, reports::MACHINES, [tables::parts(composer, machines)]));
    blocks.extend(section(composer, reports::PEOPLE_ON_FOOT, [tables::parts(composer, on_foot)]));
    blocks.extend(section(composer, reports::OPERATORS, [tables::parts(composer, operators)]));
    blocks.extend(section(composer, reports::PAIRS, [tables::pairs(composer, "main")]));
    let durations = duration_chart::durations(composer, "pattern", "main");
    blocks.extend(section(composer, reports::HOW_LONG, [durations]));
    blocks.push(composer.heading(reports::UNUSUAL));
    blocks.extend(outliers::blocks(composer));
    blocks.push(composer.heading(reports::DEVICES));
    blocks.push(devices(composer));
    blocks
}

/// Returns the page with which reports about incursions open: numbers, what changed, where it is worst, what to do.
pub(super) fn first_page(composer: &Composer<'_>, compared: Compared, searched: Searched) -> Vec<Block> {
    vec![summary::metrics(composer, compared), findings(composer, compared, searched)]
}

/// Says what changed, where it is worst and what to do.
pub(super) fn findings(composer: &Composer<'_>, compared: Compared, searched: Searched) -> Block {
    let concentration = worst::find(composer, searched);
    let mut findings = vec![
        summary::what_changed(composer, compared),
        worst::finding(composer, searched, concentration.as_ref()),
    ];
    findings.extend(advice::findings(composer, compared, concentration.as_ref()));
    Block::Findings(findings)
}

/// Names the devices that were silent, or says that none was.
pub(super) fn devices(composer: &Composer<'_>) -> Block {
    tables::silent_stations(composer).unwrap_or_else(|| {
        let hours = composer.formats.count(composer.figures().silence_limit_hours);
        Block::Paragraph(Text::plain(composer.fill(reports::NO_SILENT_STATIONS, &[("hours", &hours)])))
    })
}
