//! The document about a project.

use documents::{Block, Text};
use domain::insights::{Dimension, Interval};
use domain::sorted;
use texts::reports;

use super::composer::Composer;
use super::sections::{nothing_happened, section};
use super::site_safety::first_page;
use super::summary::Compared;
use super::tables::PartTable;
use super::worst::Searched;
use super::{charts, tables};
use crate::reports::figures::GroupView;

/// So many worksites with the largest change are named.
const MAX_CHANGES: usize = 5;

pub(super) fn blocks(composer: &Composer<'_>) -> Vec<Block> {
    let compared = Compared::new(Some(("by_worksite", Dimension::Worksite)));
    let searched = Searched {
        main: "main",
        pattern: "pattern",
        parts: &[("by_worksite", Dimension::Worksite), ("by_machine", Dimension::Machine)],
    };
    let mut blocks = first_page(composer, compared, searched);
    if compared.incursions(composer) == 0 {
        blocks.push(nothing_happened(composer));
    }
    blocks.extend(charts::section_over_time(composer, ("main", "by_week"), Interval::Week));
    let worksites = PartTable {
        answer: "main",
        grouping: "by_worksite",
        dimension: Dimension::Worksite,
        previous: Some("previous"),
        title: reports::WORKSITES,
    };
    let machines = PartTable {
        grouping: "by_machine",
        dimension: Dimension::Machine,
        title: reports::MACHINES,
        ..worksites
    };
    let kinds = PartTable {
        grouping: "by_machine_kind",
        dimension: Dimension::MachineKind,
        title: reports::KINDS_OF_MACHINES,
        ..worksites
    };
    blocks.extend(section(composer, reports::WORKSITES, [tables::parts(composer, worksites)]));
    blocks.extend(section(composer, reports::LARGEST_CHANGES, [largest_changes(composer)]));
    blocks.extend(section(composer, reports::MACHINES, [tables::parts(composer, machines)]));
    blocks.extend(section(composer, reports::KINDS_OF_MACHINES, [tables::parts(composer, kinds)]));
    blocks
}

/// Returns the worksites whose incursions changed most, in sentences; none if the periods cannot be compared.
fn largest_changes(composer: &Composer<'_>) -> Option<Block> {
    if !composer.is_comparable_with("previous") {
        return None;
    }
    let before = composer.figures().groups("previous", "by_worksite");
    let now = composer.figures().groups("main", "by_worksite");
    let count = |groups: &[GroupView<'_>], site: i64| {
        groups.iter().find(|group| group.key(0) == Some(site)).map_or(0, GroupView::incursions)
    };
    let mut sites: Vec<i64> = now.iter().chain(&before).filter_map(|group| group.key(0)).collect();
    sites.sort_unstable();
    sites.dedup();
    let mut changes: Vec<(i64, i64, i64)> =
        sites.into_iter().map(|site| (site, count(&now, site), count(&before, site))).collect();
    changes.retain(|(_, now, before)| now != before);
    // Stable, so that worksites with equal changes stay in the order of their ids.
    sorted::sort_by_key(&mut changes, |(_, now, before)| -(now - before).abs());
    let sentence = |(site, now, before): &(i64, i64, i64)| {
        let text = if now > before { reports::PART_ROSE } else { reports::PART_FELL };
        let (now, before) = (composer.formats.count(*now), composer.formats.count(*before));
        let name = composer.label(Dimension::Worksite, Some(*site));
        composer.sentence(text, &[("name", &name)], &[("n", &now), ("before", &before)])
    };
    let sentences: Vec<Text> = changes.iter().take(MAX_CHANGES).map(sentence).collect();
    (!sentences.is_empty()).then_some(Block::List(sentences))
}
