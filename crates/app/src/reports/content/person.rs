//! The document about a person: on foot and driving, side by side.

use documents::{Block, Finding, Metric};
use domain::insights::{Dimension, Interval, Measure};
use texts::reports;

use super::composer::Composer;
use super::formats::Better;
use super::site_safety::{nothing_happened, section};
use super::summary::{Compared, measured, what_changed};
use super::tables::PartTable;
use super::worst::Searched;
use super::{advice, charts, outliers, tables, tag_tests, worst};

const ON_FOOT: Compared = Compared { main: "foot", previous: "foot_previous", parts: None };
const DRIVING: Compared = Compared { main: "drive", previous: "drive_previous", parts: None };

pub(super) fn blocks(composer: &Composer<'_>) -> Vec<Block> {
    let mut blocks = vec![metrics(composer), Block::Findings(findings(composer))];
    if ON_FOOT.incursions(composer) + DRIVING.incursions(composer) == 0 {
        blocks.push(nothing_happened(composer));
    }
    let machines = PartTable {
        answer: "foot",
        grouping: "by_machine",
        dimension: Dimension::Machine,
        previous: None,
        title: reports::MACHINES_MET,
    };
    let people = PartTable {
        answer: "drive",
        grouping: "by_pedestrian",
        dimension: Dimension::Pedestrian,
        previous: None,
        title: reports::PEOPLE_MET,
    };
    blocks.extend(section(
        composer,
        reports::ON_FOOT,
        [
            charts::incursions_over_time(composer, ("foot", "by_day"), Interval::Day),
            tables::parts(composer, machines),
            charts::hours_of_week(composer, "foot_pattern"),
            charts::durations(composer, "foot_pattern", "foot"),
        ],
    ));
    blocks.extend(section(
        composer,
        reports::DRIVING,
        [
            charts::incursions_over_time(composer, ("drive", "by_day"), Interval::Day),
            tables::parts(composer, people),
            charts::hours_of_week(composer, "drive_pattern"),
            charts::durations(composer, "drive_pattern", "drive"),
        ],
    ));
    blocks.push(composer.heading(reports::COMPARED_WITH_OTHERS));
    blocks.extend(outliers::blocks(composer));
    blocks.extend(section(composer, reports::TAG_TESTS, [tag_tests::all_tags(composer)]));
    blocks
}

/// Returns two numbers on foot and two driving.
fn metrics(composer: &Composer<'_>) -> Block {
    let of = |compared: Compared, measure: Measure, better: Better, role: texts::Text| {
        let metric = measured(composer, compared, measure, better);
        let values = [("role", role.get(composer.language())), ("label", &metric.label)];
        Metric { label: composer.fill(reports::IN_ROLE, &values), ..metric }
    };
    let rate = Measure::IncursionsPerRuntimeHour;
    let drives = composer.figures().total("drive", rate).value(rate).is_ok();
    let last = if drives { rate } else { Measure::Exposure };
    Block::Metrics(vec![
        of(ON_FOOT, Measure::Incursions, Better::Less, reports::ON_FOOT),
        of(ON_FOOT, Measure::Exposure, Better::Less, reports::ON_FOOT),
        of(DRIVING, Measure::Incursions, Better::Less, reports::DRIVING),
        of(DRIVING, last, Better::Less, reports::DRIVING),
    ])
}

fn findings(composer: &Composer<'_>) -> Vec<Finding> {
    let in_role = |finding: Finding, role: texts::Text| {
        let values = [("role", role.get(composer.language())), ("label", &finding.heading)];
        Finding { heading: composer.fill(reports::IN_ROLE, &values), ..finding }
    };
    let on_foot = Searched {
        main: "foot",
        pattern: "foot_pattern",
        parts: &[("by_machine", Dimension::Machine), ("by_worksite", Dimension::Worksite)],
    };
    let driving = Searched {
        main: "drive",
        pattern: "drive_pattern",
        parts: &[("by_pedestrian", Dimension::Pedestrian), ("by_worksite", Dimension::Worksite)],
    };
    let mut findings = Vec::new();
    let roles = [(ON_FOOT, on_foot, reports::ON_FOOT), (DRIVING, driving, reports::DRIVING)];
    for (compared, searched, role) in roles {
        if compared.incursions(composer) == 0 {
            continue;
        }
        findings.push(in_role(what_changed(composer, compared), role));
        let concentration = worst::find(composer, searched);
        if concentration.is_some() {
            findings.push(in_role(worst::finding(composer, concentration.as_ref()), role));
        }
        let advised = advice::findings(composer, compared.main, concentration.as_ref());
        findings.extend(advised.into_iter().take(1).map(|finding| in_role(finding, role)));
    }
    if findings.is_empty() {
        findings.extend(advice::findings(composer, ON_FOOT.main, None));
    }
    findings
}
