//! The first page about tests of tags: numbers, what changed, where it is worst, and what to do.

use documents::{Block, Finding, Metric, MetricChange, Text, Tone, Trend};
use domain::insights::{Dimension, Week};
use texts::reports;

use super::advice::advice;
use super::composer::Composer;
use super::period_end::PeriodEnd;
use super::tested_tags::TestedTime;
use super::worst::TIMES_EVEN;
use crate::reports::figures::{TagFigure, TestWeekFigure};

/// Below this share of covered days, tests need attention.
const LOW_COMPLIANCE: f64 = 0.9;

pub(super) fn metrics(composer: &Composer<'_>, time: &TestedTime) -> Block {
    let (figures, formats) = (composer.figures(), composer.formats);
    let sum = |number: fn(&TagFigure) -> i64| figures.tags.iter().map(number).sum::<i64>();
    let (worn, covered) = (sum(|tag| tag.worn_days), sum(|tag| tag.covered_days));
    let (incursions, in_test) = (sum(|tag| tag.incursions), sum(|tag| tag.incursions_in_test));
    let (tests, passed) = (sum(|tag| tag.tests), sum(|tag| tag.passed));
    let in_use = figures.tags.iter().filter(|tag| tag.worn_days > 0).count();
    let late = figures.tags.iter().filter(|tag| tag.worn_at_end && !time.ends_in_test(tag)).count();
    let n_of_total = |part: i64, total: i64, text: texts::Text| {
        composer.fill(text, &[("n", &formats.count(part)), ("total", &formats.count(total))])
    };
    let metric = |label: texts::Text, value: String, note: String| Metric {
        label: composer.text(label),
        value,
        change: None,
        note,
    };
    let covered_of_worn = match worn {
        0 => composer.text(reports::NO_WORN_DAYS),
        worn => n_of_total(covered, worn, reports::WORN_DAYS_COVERED),
    };
    let compliance = Metric {
        change: (worn > 0 && (covered as f64) < LOW_COMPLIANCE * worn as f64).then(|| MetricChange {
            text: composer.text(reports::BELOW_GOAL),
            trend: Trend::Down,
            tone: Tone::Danger,
        }),
        ..metric(reports::COMPLIANCE, formats.share(covered, worn), covered_of_worn)
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
            composer.counted(reports::OF_TAGS_IN_USE, i64::try_from(in_use).unwrap_or(i64::MAX), &[]),
        ),
        metric(
            reports::INCURSIONS_IN_TEST,
            formats.share(in_test, incursions),
            n_of_total(in_test, incursions, reports::OF_INCURSIONS),
        ),
    ])
}

pub(super) fn findings(composer: &Composer<'_>, time: &TestedTime) -> Vec<Finding> {
    let (tags, formats) = (&composer.figures().tags, composer.formats);
    let uncovered = |tag: &TagFigure| tag.worn_days - tag.covered_days;
    let worn_days: i64 = tags.iter().map(|tag| tag.worn_days).sum();
    let total: i64 = tags.iter().map(uncovered).sum();
    if worn_days == 0 {
        let text = match PeriodEnd::of(composer) {
            PeriodEnd::NotBegun => reports::ACT_NOT_BEGUN,
            _ => reports::ACT_ASSIGN_TAGS,
        };
        let evidence = composer.text(reports::NO_TAG_WORN);
        return vec![advice(composer, Tone::Plain, composer.text(text), evidence)];
    }
    let mut findings = vec![what_changed(composer, time)];
    let (days, all) = (formats.count(worn_days), formats.count(total));
    match total {
        1.. => {
            findings.push(where_worst(composer, total));
            let interval = formats.count(composer.figures().test_interval_days);
            let text = composer.fill(reports::ACT_TEST, &[("days", &interval)]);
            let share = formats.share(total, worn_days);
            let values = [("n", all.as_str()), ("total", &days), ("share", &share)];
            let evidence = composer.fill(reports::UNCOVERED_OF_WORN, &values);
            findings.push(advice(composer, Tone::Warning, text, evidence));
        }
        _ => {
            let evidence = composer.fill(reports::ALL_DAYS_COVERED, &[("n", &days)]);
            findings.push(advice(composer, Tone::Good, composer.text(reports::ACT_NOTHING), evidence));
        }
    }
    findings
}

/// Names the tag that is worse than all others by far, if there is one. Whoever wears one of many that are alike is not singled out on a
/// page for the wall: then it is said how many there are.
fn where_worst(composer: &Composer<'_>, total: i64) -> Finding {
    let formats = composer.formats;
    let worn: Vec<&TagFigure> = composer.figures().tags.iter().filter(|tag| tag.worn_days > 0).collect();
    let uncovered: Vec<i64> = worn.iter().map(|tag| tag.worn_days - tag.covered_days).collect();
    let all = formats.count(total);
    let (text, evidence) = match worst_alone(&uncovered).and_then(|place| worn.get(place)) {
        Some(tag) => {
            let own = tag.worn_days - tag.covered_days;
            let (n, of) = (formats.count(own), formats.count(tag.worn_days));
            let name = tag_name(composer, tag);
            let text =
                composer.sentence(reports::WORST_TAG, &[("name", &name)], &[("n", &n), ("total", &of)]);
            let share = formats.share(own, total);
            (text, composer.fill(reports::UNCOVERED_IN_ALL, &[("n", &all), ("share", &share)]))
        }
        None => {
            let tags = uncovered.iter().filter(|days| **days > 0).count();
            let tags = i64::try_from(tags).unwrap_or(i64::MAX);
            let of = formats.unsigned(worn.len() as u64);
            let text = Text::plain(composer.counted(reports::UNCOVERED_TAGS, tags, &[("total", &of)]));
            let most = uncovered.iter().copied().max().unwrap_or(0);
            let (n, share) = (formats.count(most), formats.share(most, total));
            let values = [("n", n.as_str()), ("total", &all), ("share", &share)];
            (text, composer.fill(reports::NO_WORST_TAG, &values))
        }
    };
    Finding { tone: Tone::Warning, heading: composer.text(reports::WHERE_WORST), text, evidence }
}

/// Returns the place of the largest number if it is the only one of its size and has twice its even share, or if there are no others.
fn worst_alone(days: &[i64]) -> Option<usize> {
    let most = days.iter().copied().max().filter(|most| *most > 0)?;
    let mut places = days.iter().enumerate().filter(|(_, days)| **days == most).map(|(place, _)| place);
    let (first, others) = (places.next()?, places.count());
    let total: i64 = days.iter().sum();
    let has_share = most as f64 * days.len() as f64 >= TIMES_EVEN * total as f64;
    (others == 0 && (days.len() == 1 || has_share)).then_some(first)
}

/// Compares the last whole week with the one before it. A week that the period cuts has other days than a whole one.
fn what_changed(composer: &Composer<'_>, time: &TestedTime) -> Finding {
    let (weeks, formats) = (&composer.figures().test_weeks, composer.formats);
    let heading = composer.text(reports::WHAT_CHANGED);
    let Some((before, last)) = last_whole_weeks(weeks, |week| time.has_whole(week)) else {
        let n = formats.count(weeks.iter().map(|week| week.covered_days).sum());
        let total = formats.count(weeks.iter().map(|week| week.worn_days).sum());
        return Finding {
            tone: Tone::Plain,
            heading,
            text: Text::plain(composer.text(reports::NO_WHOLE_WEEKS)),
            evidence: composer.fill(reports::COVERED_IN_PERIOD, &[("n", &n), ("total", &total)]),
        };
    };
    let share = |week: &TestWeekFigure| formats.share(week.covered_days, week.worn_days);
    let rate = |week: &TestWeekFigure| week.covered_days as f64 / week.worn_days.max(1) as f64;
    let day = formats.day(Week::from_number(last.week).first_day());
    let (now, earlier) = (share(last), share(before));
    let (n, total) = (formats.count(last.covered_days), formats.count(last.worn_days));
    let (n_before, total_before) = (formats.count(before.covered_days), formats.count(before.worn_days));
    let values = [("day", day.as_str()), ("now", &now), ("before", &earlier)];
    let evidence =
        [("n", n.as_str()), ("total", &total), ("before", &n_before), ("total_before", &total_before)];
    Finding {
        tone: if rate(last) < rate(before) { Tone::Danger } else { Tone::Plain },
        heading,
        text: Text::plain(composer.fill(reports::COVERED_IN_WEEK, &values)),
        evidence: composer.fill(reports::COVERED_OF_BOTH, &evidence),
    }
}

/// Returns the last two weeks that are whole and follow each other.
fn last_whole_weeks(
    weeks: &[TestWeekFigure],
    is_whole: impl Fn(&TestWeekFigure) -> bool,
) -> Option<(&TestWeekFigure, &TestWeekFigure)> {
    let whole: Vec<&TestWeekFigure> = weeks.iter().filter(|week| is_whole(week)).collect();
    whole.windows(2).rev().find_map(|pair| match pair {
        [before, last] if last.week == before.week + 1 => Some((*before, *last)),
        _ => None,
    })
}

/// Names a tag, with its wearer if there was one.
fn tag_name(composer: &Composer<'_>, tag: &TagFigure) -> String {
    let serial = composer.label(Dimension::Tag, Some(tag.tag));
    match tag.person {
        Some(person) => format!("{serial} ({})", composer.label(Dimension::Pedestrian, Some(person))),
        None => serial,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_tag_that_is_worse_by_far_is_named() {
        assert_eq!(worst_alone(&[3]), Some(0));
        assert_eq!(worst_alone(&[0, 25, 0]), Some(1));
        assert_eq!(worst_alone(&[2, 10, 3, 5]), Some(1));
        // One of several that are alike, and one that has hardly more than the others.
        assert_eq!(worst_alone(&[27, 27, 27, 1]), None);
        assert_eq!(worst_alone(&[9, 10, 8]), None);
        assert_eq!(worst_alone(&[0, 0]), None);
        assert_eq!(worst_alone(&[]), None);
    }

    #[test]
    fn whole_weeks_in_a_row_are_compared() {
        let weeks = |numbers: &[i64]| -> Vec<TestWeekFigure> {
            numbers.iter().map(|week| TestWeekFigure { week: *week, worn_days: 7, covered_days: 3 }).collect()
        };
        let compared = |numbers: &[i64], whole: std::ops::Range<i64>| {
            let weeks = weeks(numbers);
            let found = last_whole_weeks(&weeks, |week| whole.contains(&week.week));
            found.map(|(before, last)| (before.week, last.week))
        };
        assert_eq!(compared(&[1, 2, 3, 4], 1..5), Some((3, 4)));
        // The period ends within the last week, and begins within the first.
        assert_eq!(compared(&[1, 2, 3, 4], 1..4), Some((2, 3)));
        assert_eq!(compared(&[1, 2, 3], 2..3), None);
        // Nothing was worn in week 4.
        assert_eq!(compared(&[2, 3, 5], 1..6), Some((2, 3)));
        assert_eq!(compared(&[3, 5], 1..6), None);
        assert_eq!(compared(&[], 1..6), None);
    }
}
