//! The document about tests of tags.

use documents::{Align, Block, Row, Table, Text};
use domain::Timestamp;
use domain::insights::{Dimension, Week};
use texts::reports;

use super::composer::Composer;
use super::formats::NO_VALUE;
use super::sections::section;
use super::tables::{MAX_DOCUMENT_ROWS, MAX_ROWS, column, more_rows, plain_row};
use super::tag_test_findings::{findings, metrics};
use super::tested_tags::{TestedTime, never_tested, outside_test};
use crate::reports::figures::{TagFigure, TestWeekFigure};

pub(super) fn blocks(composer: &Composer<'_>) -> Vec<Block> {
    let (tags, time) = (&composer.figures().tags, TestedTime::new(composer));
    let mut blocks = vec![metrics(composer, &time), Block::Findings(findings(composer, &time))];
    if tags.is_empty() {
        blocks.push(composer.paragraph(reports::NO_TAGS));
    }
    blocks.extend(section(composer, reports::COMPLIANCE_BY_WEEK, [by_week(composer, &time)]));
    for (heading, listed) in [
        (reports::OVERDUE, time.overdue(tags)),
        (reports::NEVER_TESTED, never_tested(tags)),
        (reports::INCURSIONS_OUTSIDE_TEST, outside_test(tags)),
    ] {
        let titles = (heading, reports::TABLE_OF_SERIOUS_TAGS);
        let table = tag_table(composer, &time, titles, &listed, MAX_ROWS);
        blocks.extend(section(composer, heading, [table]));
    }
    blocks.extend(section(composer, reports::ALL_TAGS, [all_tags(composer)]));
    blocks
}

fn by_week(composer: &Composer<'_>, time: &TestedTime) -> Option<Block> {
    let (weeks, formats) = (&composer.figures().test_weeks, composer.formats);
    if weeks.is_empty() {
        return None;
    }
    let row = |week: &TestWeekFigure| {
        let day = formats.day(Week::from_number(week.week).first_day());
        let name = match time.has_whole(week) {
            true => day,
            false => composer.fill(reports::INCOMPLETE_WEEK, &[("day", &day)]),
        };
        plain_row(vec![
            Text::plain(name),
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
    let titles = (reports::ALL_TAGS, reports::TABLE_OF_TAGS);
    tag_table(composer, &TestedTime::new(composer), titles, &tags, MAX_DOCUMENT_ROWS)
}

fn tag_table(
    composer: &Composer<'_>,
    time: &TestedTime,
    (title, summary): (texts::Text, texts::Text),
    tags: &[&TagFigure],
    most: usize,
) -> Option<Block> {
    if tags.is_empty() {
        return None;
    }
    let in_time = tags.iter().take(most).take_while(|_| composer.is_in_time());
    let rows: Vec<Row> = in_time.map(|tag| tag_row(composer, time, tag)).collect();
    let language = composer.language();
    Some(Block::Table(Table {
        title: composer.text(title),
        summary: composer.text(summary),
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

fn tag_row(composer: &Composer<'_>, time: &TestedTime, tag: &TagFigure) -> Row {
    let formats = composer.formats;
    let tested = |at: Timestamp| formats.minute(at, time.zone.offset_s(at));
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
