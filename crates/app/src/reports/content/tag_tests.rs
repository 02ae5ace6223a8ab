//! The document about tests of tags.

use documents::{Align, Block, Finding, Metric, MetricChange, Row, Table, Text, Tone, Trend};
use domain::Span;
use domain::insights::{Dimension, Week};
use texts::reports;

use super::advice;
use super::composer::Composer;
use super::formats::NO_VALUE;
use super::site_safety::section;
use super::tables::{MAX_DOCUMENT_ROWS, MAX_ROWS, column, more_rows, plain_row};
use crate::reports::figures::{TagFigure, TestWeekFigure};

/// Below this share of covered days, tests need attention.
const LOW_COMPLIANCE: f64 = 0.9;

pub(super) fn blocks(composer: &Composer<'_>) -> Vec<Block> {
    let figures = composer.figures();
    let worn: Vec<&TagFigure> = figures.tags.iter().filter(|tag| tag.worn_days > 0).collect();
    let mut blocks = vec![metrics(composer), Block::Findings(findings(composer, &worn))];
    if figures.tags.is_empty() {
        blocks.push(composer.paragraph(reports::NO_TAGS));
    }
    blocks.extend(section(composer, reports::COMPLIANCE_BY_WEEK, [by_week(composer)]));
    let never = |tag: &&TagFigure| tag.last_test.is_none() && tag.worn_at_end;
    let overdue =
        |tag: &&TagFigure| tag.last_test.is_some() && tag.worn_at_end && is_out_of_test(composer, tag);
    let outside = |tag: &&TagFigure| tag.incursions > tag.incursions_in_test;
    for (heading, tags) in [
        (reports::OVERDUE, figures.tags.iter().filter(overdue).collect::<Vec<_>>()),
        (reports::NEVER_TESTED, figures.tags.iter().filter(never).collect()),
        (reports::INCURSIONS_OUTSIDE_TEST, figures.tags.iter().filter(outside).collect()),
    ] {
        blocks.extend(section(composer, heading, [tag_table(composer, heading, &tags, MAX_ROWS)]));
    }
    blocks.extend(section(composer, reports::ALL_TAGS, [all_tags(composer)]));
    blocks
}

/// Whether the last test at the end of the period was failed, or longer ago than the interval.
fn is_out_of_test(composer: &Composer<'_>, tag: &TagFigure) -> bool {
    let figures = composer.figures();
    let interval = Span::minutes(figures.test_interval_days * 24 * 60);
    let end = composer.content.request.period().1.latest();
    let end = figures.computed_at.map_or(end, |computed_at| end.min(computed_at));
    let is_recent = tag.last_test.is_some_and(|tested_at| end - tested_at < interval);
    !(is_recent && tag.last_passed == Some(true))
}

fn metrics(composer: &Composer<'_>) -> Block {
    let (figures, formats) = (composer.figures(), composer.formats);
    let sum = |number: fn(&TagFigure) -> i64| figures.tags.iter().map(number).sum::<i64>();
    let (worn, covered) = (sum(|tag| tag.worn_days), sum(|tag| tag.covered_days));
    let (incursions, in_test) = (sum(|tag| tag.incursions), sum(|tag| tag.incursions_in_test));
    let (tests, passed) = (sum(|tag| tag.tests), sum(|tag| tag.passed));
    let in_use = figures.tags.iter().filter(|tag| tag.worn_days > 0).count();
    let late = figures.tags.iter().filter(|tag| tag.worn_at_end && is_out_of_test(composer, tag)).count();
    let n_of_total = |part: i64, total: i64, text: texts::Text| {
        composer.fill(text, &[("n", &formats.count(part)), ("total", &formats.count(total))])
    };
    let metric = |label: texts::Text, value: String, note: String| Metric {
        label: composer.text(label),
        value,
        change: None,
        note,
    };
    let compliance = Metric {
        change: (worn > 0 && (covered as f64) < LOW_COMPLIANCE * worn as f64).then(|| MetricChange {
            text: composer.text(reports::BELOW_GOAL),
            trend: Trend::Down,
            tone: Tone::Danger,
        }),
        ..metric(
            reports::COMPLIANCE,
            formats.share(covered, worn),
            n_of_total(covered, worn, reports::WORN_DAYS_COVERED),
        )
    };
    Block::Metrics(vec![
        compliance,
        metric(
            reports::TESTS,
            formats.count(tests),
            n_of_total(tests - passed, tests, reports::TESTS_FAILED),
        ),
        metric(
            reports::OUT_OF_TEST,
            formats.unsigned(late as u64),
            composer.fill(reports::OF_TAGS_IN_USE, &[("n", &formats.unsigned(in_use as u64))]),
        ),
        metric(
            reports::INCURSIONS_IN_TEST,
            formats.share(in_test, incursions),
            n_of_total(in_test, incursions, reports::OF_INCURSIONS),
        ),
    ])
}

fn findings(composer: &Composer<'_>, worn: &[&TagFigure]) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    findings.extend(last_weeks(composer));
    let uncovered = |tag: &TagFigure| tag.worn_days - tag.covered_days;
    let worst =
        worn.iter().copied().reduce(|best, next| if uncovered(next) > uncovered(best) { next } else { best });
    let formats = composer.formats;
    match worst.filter(|tag| uncovered(tag) > 0) {
        Some(tag) => {
            let name = tag_name(composer, tag);
            let (days, of) = (formats.count(uncovered(tag)), formats.count(tag.worn_days));
            let total: i64 = worn.iter().map(|tag| uncovered(tag)).sum();
            let (total, own) = (formats.count(total), formats.share(uncovered(tag), total));
            let values = [("n", days.as_str()), ("total", &of)];
            let shares = [("n", total.as_str()), ("share", &own)];
            findings.push(Finding {
                tone: Tone::Warning,
                heading: composer.text(reports::WHERE_WORST),
                text: composer.sentence(reports::WORST_TAG, &[("name", &name)], &values),
                evidence: composer.fill(reports::UNCOVERED_IN_ALL, &shares),
            });
            let interval = formats.count(composer.figures().test_interval_days);
            let text = composer.fill(reports::ACT_TEST, &[("days", &interval)]);
            let evidence = composer.fill(reports::UNCOVERED_IN_ALL, &shares);
            findings.push(advice::advice(composer, Tone::Warning, text, evidence));
        }
        None => {
            let days: i64 = worn.iter().map(|tag| tag.worn_days).sum();
            let evidence = composer.fill(reports::ALL_DAYS_COVERED, &[("n", &formats.count(days))]);
            findings.push(advice::advice(
                composer,
                Tone::Good,
                composer.text(reports::ACT_NOTHING),
                evidence,
            ));
        }
    }
    findings
}

/// Compares the last week with the one before it.
fn last_weeks(composer: &Composer<'_>) -> Option<Finding> {
    let [.., before, last] = &composer.figures().test_weeks[..] else { return None };
    let formats = composer.formats;
    let share = |week: &TestWeekFigure| formats.share(week.covered_days, week.worn_days);
    let rate = |week: &TestWeekFigure| week.covered_days as f64 / week.worn_days.max(1) as f64;
    let (now, earlier) = (share(last), share(before));
    let (n, total) = (formats.count(last.covered_days), formats.count(last.worn_days));
    let (n_before, total_before) = (formats.count(before.covered_days), formats.count(before.worn_days));
    let values = [("now", now.as_str()), ("before", &earlier)];
    let evidence =
        [("n", n.as_str()), ("total", &total), ("before", &n_before), ("total_before", &total_before)];
    Some(Finding {
        tone: if rate(last) < rate(before) { Tone::Danger } else { Tone::Plain },
        heading: composer.text(reports::WHAT_CHANGED),
        text: Text::plain(composer.fill(reports::COVERED_IN_LAST_WEEK, &values)),
        evidence: composer.fill(reports::COVERED_OF_BOTH, &evidence),
    })
}

fn by_week(composer: &Composer<'_>) -> Option<Block> {
    let (weeks, formats) = (&composer.figures().test_weeks, composer.formats);
    if weeks.is_empty() {
        return None;
    }
    let row = |week: &TestWeekFigure| {
        plain_row(vec![
            Text::plain(formats.day(Week::from_number(week.week).first_day())),
            Text::plain(formats.count(week.worn_days)),
            Text::plain(formats.count(week.covered_days)),
            Text::plain(formats.count(week.worn_days - week.covered_days)),
            Text::plain(formats.share(week.covered_days, week.worn_days)),
        ])
    };
    // The last weeks matter most.
    let left_out = weeks.len().saturating_sub(MAX_ROWS);
    Some(Block::Table(Table {
        title: composer.text(reports::COMPLIANCE_BY_WEEK),
        summary: composer.text(reports::TABLE_OF_WEEKS),
        columns: vec![
            column(composer.text(reports::WEEK_OF), Align::Start, 1.6),
            column(composer.text(reports::WORN_DAYS), Align::End, 1.0),
            column(composer.text(reports::COVERED_DAYS), Align::End, 1.0),
            column(composer.text(reports::UNCOVERED_DAYS), Align::End, 1.0),
            column(composer.text(reports::COMPLIANCE), Align::End, 1.0),
        ],
        rows: weeks.iter().skip(left_out).map(row).collect(),
        note: more_rows(composer, left_out as u64),
    }))
}

/// Returns the table of all tags.
pub(super) fn all_tags(composer: &Composer<'_>) -> Option<Block> {
    let tags: Vec<&TagFigure> = composer.figures().tags.iter().collect();
    tag_table(composer, reports::ALL_TAGS, &tags, MAX_DOCUMENT_ROWS)
}

fn tag_table(composer: &Composer<'_>, title: texts::Text, tags: &[&TagFigure], most: usize) -> Option<Block> {
    if tags.is_empty() {
        return None;
    }
    let rows: Vec<Row> = tags.iter().take(most).map(|tag| tag_row(composer, tag)).collect();
    let language = composer.language();
    Some(Block::Table(Table {
        title: composer.text(title),
        summary: composer.text(reports::TABLE_OF_TAGS),
        columns: vec![
            column(texts::values::dimension(language, "tag"), Align::Start, 1.7),
            column(texts::values::dimension(language, "person"), Align::Start, 2.2),
            column(composer.text(reports::WORN_DAYS), Align::End, 1.0),
            column(composer.text(reports::COVERED_DAYS), Align::End, 1.1),
            column(composer.text(reports::TESTS), Align::End, 0.9),
            column(composer.text(reports::FAILED), Align::End, 1.0),
            column(composer.text(reports::LAST_TEST), Align::Start, 1.8),
            column(composer.text(reports::INCURSIONS_AND_IN_TEST), Align::End, 1.6),
        ],
        rows,
        note: more_rows(composer, tags.len().saturating_sub(most) as u64),
    }))
}

fn tag_row(composer: &Composer<'_>, tag: &TagFigure) -> Row {
    let formats = composer.formats;
    let zone = &composer.content.brand.values.time_zone;
    let tested = |at: domain::Timestamp| formats.minute(at, zone.offset_s(at));
    let person = match tag.person {
        Some(person) => composer.linked(Dimension::Pedestrian, Some(person)),
        None => Text::plain(NO_VALUE),
    };
    let incursions = match tag.incursions {
        0 => NO_VALUE.to_owned(),
        all => {
            let (in_test, all) = (formats.count(tag.incursions_in_test), formats.count(all));
            composer.fill(reports::N_OF_TOTAL, &[("n", &in_test), ("total", &all)])
        }
    };
    plain_row(vec![
        Text::plain(composer.label(Dimension::Tag, Some(tag.tag))),
        person,
        Text::plain(formats.count(tag.worn_days)),
        Text::plain(formats.count(tag.covered_days)),
        Text::plain(formats.count(tag.tests)),
        Text::plain(formats.count(tag.tests - tag.passed)),
        Text::plain(tag.last_test.map_or(NO_VALUE.to_owned(), tested)),
        Text::plain(incursions),
    ])
}

/// Names a tag, with its wearer if there was one.
fn tag_name(composer: &Composer<'_>, tag: &TagFigure) -> String {
    let serial = composer.label(Dimension::Tag, Some(tag.tag));
    match tag.person {
        Some(person) => format!("{serial} ({})", composer.label(Dimension::Pedestrian, Some(person))),
        None => serial,
    }
}
