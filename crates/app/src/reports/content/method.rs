//! How the numbers of a report are counted, at its end.

use documents::{Block, Text};
use domain::insights::Dimension;
use domain::{ReportKind, Review};
use texts::reports;

use super::composer::Composer;
use crate::reports::thresholds::{MIN_CHANGE, MIN_INCURSIONS};

pub(super) fn blocks(composer: &Composer<'_>) -> Vec<Block> {
    let mut lines = lines_of_kind(composer);
    lines.extend(reviews(composer));
    lines.extend(previous_period(composer));
    if composer.figures().includes_later_changes {
        lines.push(composer.text(reports::METHOD_LATER_CHANGES));
    }
    let lines = lines.into_iter().map(Text::plain).collect();
    vec![composer.heading(reports::METHOD), Block::List(lines)]
}

fn lines_of_kind(composer: &Composer<'_>) -> Vec<String> {
    let text = |text: texts::Text| composer.text(text);
    let incursions = [
        reports::METHOD_INCURSION,
        reports::METHOD_ACKNOWLEDGED,
        reports::METHOD_RATE,
        reports::METHOD_EXPOSURE,
        reports::METHOD_DAYS,
    ];
    let judged = || {
        let least = composer.formats.count(MIN_INCURSIONS);
        let change = texts::percent(composer.language(), MIN_CHANGE, 0);
        composer.fill(reports::METHOD_FINDINGS, &[("n", &least), ("change", &change)])
    };
    let mut lines: Vec<String> = Vec::new();
    match composer.content.request.kind {
        ReportKind::SiteSafety | ReportKind::Machine | ReportKind::Person => {
            lines.extend(incursions.map(text));
            lines.push(text(reports::METHOD_DURATIONS));
            if composer.figures().answers.iter().any(|answer| answer.name == "pattern") {
                lines.push(text(reports::METHOD_HEXAGONS));
            }
            lines.push(judged());
            lines.push(text(reports::METHOD_OUTLIERS));
            if composer.content.request.kind == ReportKind::Person {
                lines.push(text(reports::METHOD_ROLES));
                lines.extend(tests(composer));
            }
        }
        ReportKind::ProjectSummary | ReportKind::Incursions => {
            lines.extend(incursions.map(text));
            lines.push(judged());
        }
        ReportKind::Pivot => {
            lines.extend(incursions.map(text));
            if composer.figures().previous.is_some() {
                lines.push(judged());
            }
        }
        ReportKind::TagTestCompliance => {
            lines.extend(tests(composer));
            lines.push(text(reports::METHOD_WHOLE_WEEKS));
        }
        ReportKind::VisitorLog => {
            lines.extend([reports::METHOD_VISITS, reports::METHOD_INCURSIONS_OF_VISITS].map(text));
        }
        ReportKind::SiteReport => lines.extend(incursions.map(text)),
    }
    lines
}

/// Says when a tag is in test.
fn tests(composer: &Composer<'_>) -> [String; 3] {
    let days = composer.formats.count(composer.figures().test_interval_days);
    let zone = composer.figures().zone_of_tags(&composer.content.brand.values.time_zone);
    [
        composer.fill(reports::METHOD_IN_TEST, &[("days", &days)]),
        composer.text(reports::METHOD_COVERED_DAYS),
        composer.fill(reports::METHOD_TEST_DAYS, &[("zone", zone.as_str())]),
    ]
}

/// Says which incursions count, by their review.
fn reviews(composer: &Composer<'_>) -> Option<String> {
    let counted = &composer.content.request.filter.reviews;
    if counted.is_empty() || composer.content.request.kind == ReportKind::SiteReport {
        return None;
    }
    let name = |review: &Review| {
        let label = composer.label(Dimension::Review, Some(review.code()));
        composer.language().inside_sentence(&label)
    };
    let names: Vec<String> = counted.iter().map(name).collect();
    Some(composer.fill(reports::METHOD_REVIEWS, &[("reviews", &composer.formats.list(&names))]))
}

/// Names the period that the report is compared with.
fn previous_period(composer: &Composer<'_>) -> Option<String> {
    let period = super::provenance::previous_period(composer)?;
    Some(composer.fill(reports::METHOD_PREVIOUS, &[("period", &period)]))
}
