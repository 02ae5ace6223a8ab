//! The document about a person: on foot and driving, side by side.

use documents::{Block, Finding, Metric};
use domain::insights::{Dimension, Interval, Measure};
use texts::reports;

use super::composer::Composer;
use super::formats::Better;
use super::sections::{nothing_happened, section};
use super::summary::{Compared, measured, what_changed};
use super::tables::PartTable;
use super::worst::Searched;
use super::{advice, charts, duration_chart, outliers, tables, tag_tests, week_chart, worst};

const ON_FOOT: Compared = Compared::ON_FOOT;
const DRIVING: Compared = Compared::DRIVING;

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
    blocks.extend(in_role(composer, reports::ON_FOOT, (ON_FOOT, "foot_pattern"), machines));
    blocks.extend(in_role(composer, reports::DRIVING, (DRIVING, "drive_pattern"), people));
    blocks.push(composer.heading(reports::COMPARED_WITH_OTHERS));
    blocks.extend(outliers::blocks(composer));
    blocks.extend(section(composer, reports::TAG_TESTS, [tag_tests::all_tags(composer)]));
    blocks
}

/// Returns the section about a role. Each chart has a heading that names the role, because it may begin a page.
fn in_role(
    composer: &Composer<'_>,
    role: texts::Text,
    (compared, pattern): (Compared, &str),
    met: PartTable,
) -> Vec<Block> {
    let chart = |heading: texts::Text, chart: Option<Block>| {
        let text = named_role(composer, role, heading.get(composer.language()));
        let heading = chart.is_some().then_some(Block::Heading { level: 3, text });
        [heading, chart]
    };
    let by_day = charts::incursions_over_time(composer, (compared.main, "by_day"), Interval::Day);
    let when = chart(reports::WHEN, week_chart::hours_of_week(composer, pattern));
    let how_long = chart(reports::HOW_LONG, duration_chart::durations(composer, pattern, compared.main));
    let parts = [by_day, tables::parts(composer, met)].into_iter().chain(when).chain(how_long);
    section(composer, role, parts)
}

/// Returns a label or a heading that belongs to a role.
fn named_role(composer: &Composer<'_>, role: texts::Text, label: &str) -> String {
    composer.fill(reports::IN_ROLE, &[("role", role.get(composer.language())), ("label", label)])
}

/// Returns two numbers on foot and two driving.
fn metrics(composer: &Composer<'_>) -> Block {
    let of = |compared: Compared, measure: Measure, better: Better, role: texts::Text| {
        let metric = measured(composer, compared, measure, better);
        Metric { label: named_role(composer, role, &metric.label), ..metric }
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
    let in_role = |finding: Finding, role: texts::Text| Finding {
        heading: named_role(composer, role, &finding.heading),
        ..finding
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
    let has_both_roles = ON_FOOT.incursions(composer) > 0 && DRIVING.incursions(composer) > 0;
    let roles = [(ON_FOOT, on_foot, reports::ON_FOOT), (DRIVING, driving, reports::DRIVING)];
    for (compared, searched, role) in roles {
        if compared.incursions(composer) == 0 {
            continue;
        }
        findings.push(in_role(what_changed(composer, compared), role));
        let concentration = worst::find(composer, searched);
        // That nothing stands out is worth its place only if there is one role.
        if concentration.is_some() || !has_both_roles {
            findings.push(in_role(worst::finding(composer, searched, concentration.as_ref()), role));
        }
        let advised = advice::findings(composer, compared, concentration.as_ref());
        findings.extend(advised.into_iter().take(1).map(|finding| in_role(finding, role)));
    }
    if findings.is_empty() {
        // Runtime is known only for driving, and may show that there was nothing to find.
        findings.extend(advice::findings(composer, DRIVING, None));
    }
    findings
}
