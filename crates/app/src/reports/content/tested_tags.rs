//! The tags that need attention, and the time in which their tests are judged.

use std::cmp::Reverse;

use domain::insights::Week;
use domain::{Span, TimeZone, Timestamp, sorted};

use super::composer::Composer;
use crate::reports::figures::{TagFigure, TestWeekFigure};

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
    pub fn overdue<'a>(&self, tags: &'a [TagFigure]) -> Vec<&'a TagFigure> {
        let is_overdue =
            |tag: &TagFigure| tag.worn_at_end && tag.last_test.is_some() && !self.ends_in_test(tag);
        ordered(tags, is_overdue, |tag| tag.in_test_until(self.interval))
    }
}

/// Returns the tags that were worn at the end and never tested, those with most worn days first.
pub(super) fn never_tested(tags: &[TagFigure]) -> Vec<&TagFigure> {
    ordered(tags, |tag| tag.worn_at_end && tag.last_test.is_none(), |tag| Reverse(tag.worn_days))
}

/// Returns the tags with incursions at which they were not in test, most first.
pub(super) fn outside_test(tags: &[TagFigure]) -> Vec<&TagFigure> {
    ordered(tags, |tag| tag.incursions_outside_test() > 0, |tag| Reverse(tag.incursions_outside_test()))
}

/// Returns some of the tags by a key, then by id.
fn ordered<K: Ord>(
    tags: &[TagFigure],
    is_listed: impl Fn(&TagFigure) -> bool,
    key: impl Fn(&TagFigure) -> K,
) -> Vec<&TagFigure> {
    let mut listed: Vec<&TagFigure> = tags.iter().filter(|tag| is_listed(tag)).collect();
    sorted::sort_by_key(&mut listed, |tag| (key(tag), tag.tag));
    listed
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
