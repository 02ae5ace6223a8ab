//! Marks of intervals in which some values are missing, but not all: a hatched strip below the axis, where nobody takes it for zero.

use crate::calendar::LocalTime;
use crate::layout::frame::Frame;
use crate::layout::time_axis::TimeAxis;
use crate::svg::colour::Paint;
use crate::svg::shape::Rect;
use crate::svg::style::{Fill, Style};

/// Distance of the strip from the axis.
const DISTANCE: f64 = 1.5;
/// Height of the strip.
const HEIGHT: f64 = 4.5;
/// How far the labels of the axis move down below a strip. Where they are without it, digits touch its lower edge.
const LABEL_DISTANCE: f64 = 3.0;
/// Narrower marks are joined, even if they say something different.
const MIN_WIDTH: f64 = 4.0;

/// Returns how far the labels of the axis move down to make room for these marks.
pub(crate) fn label_distance(missing: &[(LocalTime, String)]) -> f64 {
    if missing.is_empty() { 0.0 } else { LABEL_DISTANCE }
}

/// Draws a mark for each of these intervals, which are in order and have a title; `label` is the title of marks that are joined.
pub(crate) fn draw(
    frame: &mut Frame<'_>,
    area: Rect,
    axis: &TimeAxis,
    missing: &[(LocalTime, String)],
    label: &str,
) {
    for (left, right, title) in join(axis, missing, label) {
        let mark = Rect::new(left, area.bottom() + DISTANCE, (right - left).max(1.0), HEIGHT);
        frame.canvas.rect(mark, &Style::filled(Fill::NoData).with_stroke(Paint::Axis, 0.7), Some(title));
    }
}

/// Joins adjacent intervals that have the same title or are narrow; returns the left and right edge of each mark, and its title.
fn join<'a>(axis: &TimeAxis, missing: &'a [(LocalTime, String)], label: &'a str) -> Vec<(f64, f64, &'a str)> {
    let mut marks: Vec<(f64, f64, &str)> = Vec::new();
    for (at, title) in missing {
        let ((left, right), title) = (axis.slot(*at), title.as_str());
        match marks.last_mut() {
            Some(last) if left <= last.1 + 0.75 && (last.2 == title || right - left < MIN_WIDTH) => {
                last.1 = last.1.max(right);
                if last.2 != title {
                    last.2 = label;
                }
            }
            _ => marks.push((left, right, title)),
        }
    }
    marks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calendar::{Date, Interval};

    #[test]
    fn neighbours_of_one_kind_are_one_mark() {
        let day = |day: u8| LocalTime::from(Date::new(2026, 3, day).unwrap());
        let missing = |days: &[(u8, &str)]| -> Vec<(LocalTime, String)> {
            days.iter().map(|(n, title)| (day(*n), (*title).to_owned())).collect()
        };
        let titles = |width: f64, days: &[(u8, &str)]| -> Vec<String> {
            let axis = TimeAxis::new(day(1), day(11), 0.0, width, Some(Interval::Day));
            let missing = missing(days);
            join(&axis, &missing, "several").into_iter().map(|(_, _, title)| title.to_owned()).collect()
        };
        let days = [(1, "a"), (2, "a"), (3, "b"), (6, "b")];
        assert_eq!(titles(100.0, &days), ["a", "b", "b"]);
        assert_eq!(titles(20.0, &days), ["several", "b"]);
    }
}
