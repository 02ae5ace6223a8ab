//! The document about tests of tags.

use std::cmp::Reverse;

use documents::{Align, Block, Row, Table, Text};
use domain::insights::{Dimension, Week};
use domain::{Span, TimeZone, Timestamp};
use texts::reports;

use super::composer::Composer;
use super::formats::NO_VALUE;
use super::site_safety::section;
use super::tables::{MAX_DOCUMENT_ROWS, MAX_ROWS, column, more_rows, plain_row};
use super::tag_test_findings::{findings, metrics};
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

/// The time that the figures of tags cover, and by what tests are judged.
pub(super) struct TestedTime {
    /// The zone of the days of tags.
    pub zone: TimeZone,
    from: Timestamp,
    to: Timestamp,
    interval: Span,
}

impl TestedTime {
    pub fn new(composer: &Composer<'_>) -> Self {
        let (content, figures) = (composer.content, composer.figures());
        let zone = figures.zone_of_tags(&content.brand.values.time_zone);
        let (from, to) = figures.instants_of_tags(content.request.period(), &zone);
        Self { zone, from, to, interval: Span::minutes(figures.test_interval_days * 24 * 60) }
    }

    /// Whether a tag was in test at the end.
    pub fn ends_in_test(&self, tag: &TagFigure) -> bool {
        tag.is_in_test(self.to, self.interval)
    }

    /// Whether none of the days of a week is cut off.
    pub fn has_whole(&self, week: &TestWeekFigure) -> bool {
        let start = |week: i64| Week::from_number(week).first_day().start_in(&self.zone);
        self.from <= start(week.week) && start(week.week + 1) <= self.to
    }

    /// Returns the tags that were worn at the end although their last test was failed or is too long ago, the longest overdue first.
    fn overdue<'a>(&self, tags: &'a [TagFigure]) -> Vec<&'a TagFigure> {
        let is_overdue =
            |tag: &TagFigure| tag.worn_at_end && tag.last_test.is_some() && !self.ends_in_test(tag);
        ordered(tags, is_overdue, |tag| tag.in_test_until(self.interval))
    }
}

/// Returns the tags that were worn at the end and never tested, those with most worn days first.
fn never_tested(tags: &[TagFigure]) -> Vec<&TagFigure> {
    ordered(tags, |tag| tag.worn_at_end && tag.last_test.is_none(), |tag| Reverse(tag.worn_days))
}

/// Returns the tags with incursions at which they were not in test, most first.
fn outside_test(tags: &[TagFigure]) -> Vec<&TagFigure> {
    ordered(tags, |tag| tag.incursions_outside_test() > 0, |tag| Reverse(tag.incursions_outside_test()))
}

/// Returns some of the tags by a key, then by id.
fn ordered<K: Ord>(
    tags: &[TagFigure],
    is_listed: impl Fn(&TagFigure) -> bool,
    key: impl Fn(&TagFigure) -> K,
) -> Vec<&TagFigure> {
    let mut listed: Vec<&TagFigure> = tags.iter().filter(|tag| is_listed(tag)).collect();
    listed.sort_by_key(|tag| (key(tag), tag.tag));
    listed
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

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        Timestamp::parse(text).unwrap()
    }

    /// A tag that was worn on some days and until the end.
    fn tag(id: i64, worn_days: i64, last_test: Option<(&str, bool)>, outside: i64) -> TagFigure {
        TagFigure {
            tag: id,
            person: None,
            tests: 0,
            passed: 0,
            last_test: last_test.map(|(tested_at, _)| at(tested_at)),
            last_passed: last_test.map(|(_, passed)| passed),
            worn_days,
            covered_days: 0,
            worn_at_end: true,
            incursions: outside + 1,
            incursions_in_test: 1,
        }
    }

    fn february(zone: &str) -> TestedTime {
        let zone = TimeZone::parse(zone).unwrap();
        let start = |day: &str| domain::Day::parse(day).unwrap().start_in(&zone);
        let (from, to) = (start("2026-02-03"), start("2026-03-01"));
        TestedTime { zone, from, to, interval: Span::minutes(7 * 24 * 60) }
    }

    #[test]
    fn the_most_serious_tags_come_first() {
        let tags = [
            tag(1, 2, Some(("2026-02-20T07:00:00Z", true)), 5),
            tag(2, 9, None, 0),
            tag(3, 1, Some(("2026-02-12T07:00:00Z", false)), 821),
            tag(4, 9, None, 7),
            tag(5, 3, Some(("2026-02-01T07:00:00Z", true)), 7),
            tag(6, 20, None, 1),
            tag(7, 5, Some(("2026-02-27T07:00:00Z", true)), 0),
        ];
        let ids = |tags: Vec<&TagFigure>| -> Vec<i64> { tags.iter().map(|tag| tag.tag).collect() };
        // Overdue since the 8th, the 12th (the day of the failed test) and the 27th.
        assert_eq!(ids(february("UTC").overdue(&tags)), [5, 3, 1]);
        assert_eq!(ids(never_tested(&tags)), [6, 2, 4]);
        assert_eq!(ids(outside_test(&tags)), [3, 4, 5, 1, 6]);
    }

    #[test]
    fn a_week_that_the_period_cuts_is_not_whole() {
        let week = |monday: &str| TestWeekFigure {
            week: Week::of(domain::Day::parse(monday).unwrap()).number(),
            worn_days: 1,
            covered_days: 1,
        };
        for zone in ["UTC", "Asia/Tokyo", "America/Denver"] {
            let time = february(zone);
            let whole = ["2026-02-02", "2026-02-09", "2026-02-16", "2026-02-23"]
                .map(|monday| time.has_whole(&week(monday)));
            assert_eq!(whole, [false, true, true, false], "{zone}");
        }
    }
}
