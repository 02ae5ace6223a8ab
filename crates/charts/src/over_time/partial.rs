//! Intervals that are not complete, such as a day that has not ended: they are hatched, so that nobody takes them for a decline.

use std::collections::BTreeSet;

use crate::calendar::{Interval, LocalTime};
use crate::descriptions::fill;
use crate::layout::describe;
use crate::layout::frame::Frame;
use crate::layout::legend::{LegendEntry, Mark};
use crate::layout::time_axis::TimeAxis;
use crate::options::ChartOptions;
use crate::series::Point;
use crate::svg::colour::Paint;
use crate::svg::shape::Rect;
use crate::svg::style::{Fill, Style};
use crate::svg::text::clean;

/// Maximum number of periods that a description lists.
const MAX_DESCRIBED: usize = 3;

/// Returns the periods that are not complete; adjacent ones are merged.
pub(crate) fn spans<'a>(
    points: impl Iterator<Item = &'a Point>,
    interval: Interval,
) -> Vec<(LocalTime, LocalTime)> {
    let times: BTreeSet<LocalTime> = points.filter(|point| point.partial).map(|point| point.at).collect();
    let mut spans: Vec<(LocalTime, LocalTime)> = Vec::new();
    for at in times {
        let end = interval.end(at);
        match spans.last_mut() {
            Some(last) if last.1 >= at => last.1 = last.1.max(end),
            _ => spans.push((at, end)),
        }
    }
    spans
}

/// Returns what of these periods lies outside the others. Both are in order, and none overlaps another of its kind.
pub(crate) fn outside(
    periods: &[(LocalTime, LocalTime)],
    others: &[(LocalTime, LocalTime)],
) -> Vec<(LocalTime, LocalTime)> {
    let mut left = Vec::new();
    for &(from, to) in periods {
        let mut at = from;
        for &(start, end) in others.iter().filter(|other| other.1 > from && other.0 < to) {
            if start > at {
                left.push((at, start));
            }
            at = at.max(end);
        }
        if at < to {
            left.push((at, to));
        }
    }
    left
}

pub(crate) fn legend_entry(picture: &ChartOptions) -> LegendEntry {
    let label = clean(&picture.translations.partial);
    LegendEntry::new(Mark::Swatch(Fill::Partial(Paint::Axis)), label).essential()
}

/// Hatches these periods of the plot area; drawn before the values.
pub(crate) fn draw_bands(
    frame: &mut Frame<'_>,
    area: Rect,
    axis: &TimeAxis,
    spans: &[(LocalTime, LocalTime)],
) {
    let title = clean(&frame.options.translations.partial);
    for &(from, to) in spans {
        let (left, right) = (axis.x(from), axis.x(to));
        let band = Rect::new(left, area.top, (right - left).max(1.0), area.height);
        frame.canvas.rect(band, &Style::filled(Fill::Partial(Paint::Axis)), Some(&title));
    }
}

/// Describes which periods are not complete.
pub(crate) fn sentence(
    picture: &ChartOptions,
    spans: &[(LocalTime, LocalTime)],
    interval: Interval,
) -> String {
    if spans.is_empty() {
        return String::new();
    }
    let described = spans.iter().take(MAX_DESCRIBED).map(|&(from, to)| {
        let first = describe::format_instant(picture, from, interval);
        let say = picture.translations.descriptions.from_on;
        if interval.end(from) >= to { first } else { fill(say, &[("from", &first)]) }
    });
    let described: Vec<String> = described.collect();
    format!(" {}: {}.", clean(&picture.translations.partial), described.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calendar::Date;

    #[test]
    fn neighbours_that_are_not_complete_are_one_period() {
        let day = |day: u8| LocalTime::from(Date::new(2026, 3, day).unwrap());
        let point = |n: u8, partial| Point::new(day(n), 1.0).partial(partial);
        let points = [point(1, true), point(2, false), point(4, true), point(3, true)];
        let found = spans(points.iter(), Interval::Day);
        assert_eq!(found, [(day(1), day(2)), (day(3), day(5))]);
        let text = sentence(&ChartOptions::titled(""), &found, Interval::Day);
        assert_eq!(text, " Incomplete: 01/03/2026, from 03/03/2026 on.");
    }

    #[test]
    fn what_is_outside_other_periods_is_left() {
        let day = |day: u8| LocalTime::from(Date::new(2026, 3, day).unwrap());
        let period = |from: u8, to: u8| (day(from), day(to));
        let gaps = [period(1, 5), period(8, 9), period(10, 12)];
        assert_eq!(outside(&gaps, &[]), gaps);
        let left = outside(&gaps, &[period(2, 3), period(8, 10), period(11, 20)]);
        assert_eq!(left, [period(1, 2), period(3, 5), period(10, 11)]);
        assert!(outside(&gaps, &[period(1, 30)]).is_empty());
    }
}
