//! Lines over time that are interrupted where there is no value.

use crate::calendar::{Interval, LocalTime};
use crate::series::{Point, Value};
use crate::svg::canvas::Canvas;
use crate::svg::colour::Paint;
use crate::svg::shape::{PathData, Rect};
use crate::svg::style::{BAND_EDGE_OPACITY, BAND_OPACITY, Marker, Style};

/// A value with its time; samples are ordered by time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sample<'a> {
    pub(crate) at: LocalTime,
    pub(crate) value: &'a Value,
    pub(crate) range: Option<(f64, f64)>,
}

pub(crate) fn sorted_samples(points: &[Point]) -> Vec<Sample<'_>> {
    let mut stops: Vec<Sample<'_>> = points
        .iter()
        .map(|point| Sample { at: point.at, value: &point.value, range: point.drawable_range() })
        .collect();
    stops.sort_by_key(|stop| stop.at);
    stops
}

/// Whether two neighbours are so far apart that values are missing between them.
pub(crate) fn missing_between(interval: Interval, before: LocalTime, after: LocalTime) -> bool {
    let steps = interval.count(before, after);
    match interval {
        // One local hour is skipped when clocks go forward.
        Interval::Hour => steps > 2,
        Interval::Day | Interval::Week | Interval::Month => steps > 1,
    }
}

/// Splits samples into runs without a gap; without an interval, nothing counts as missing between two samples.
pub(crate) fn split_at_gaps(stops: &[Sample<'_>], interval: Option<Interval>) -> Vec<Vec<(LocalTime, f64)>> {
    let mut runs: Vec<Vec<(LocalTime, f64)>> = Vec::new();
    let mut before: Option<LocalTime> = None;
    let missing = |before, after| interval.is_some_and(|interval| missing_between(interval, before, after));
    for stop in stops {
        let Some(value) = stop.value.number() else {
            before = None;
            continue;
        };
        match (before, runs.last_mut()) {
            (Some(last), Some(run)) if !missing(last, stop.at) => run.push((stop.at, value)),
            _ => runs.push(vec![(stop.at, value)]),
        }
        before = Some(stop.at);
    }
    runs
}

/// Splits samples into runs that have a range.
fn split_ranges(stops: &[Sample<'_>], interval: Interval) -> Vec<Vec<(LocalTime, (f64, f64))>> {
    let mut runs: Vec<Vec<(LocalTime, (f64, f64))>> = Vec::new();
    let mut before: Option<LocalTime> = None;
    for stop in stops {
        let Some(range) = stop.range else {
            before = None;
            continue;
        };
        match (before, runs.last_mut()) {
            (Some(last), Some(run)) if !missing_between(interval, last, stop.at) => {
                run.push((stop.at, range));
            }
            _ => runs.push(vec![(stop.at, range)]),
        }
        before = Some(stop.at);
    }
    runs
}

/// Draws the ranges of samples as a band that is interrupted where there is none; a range without neighbours is a bar.
pub(crate) fn draw_ranges(
    canvas: &mut Canvas,
    stops: &[Sample<'_>],
    interval: Interval,
    place: impl Fn(LocalTime, f64) -> (f64, f64),
    paint: Paint,
) {
    let (mut band, mut edges) = (PathData::default(), PathData::default());
    for run in split_ranges(stops, interval) {
        if let [(at, (low, high))] = run[..] {
            let ((x, top), (_, bottom)) = (place(at, high), place(at, low));
            let bar = Rect::new(x - 3.0, top, 6.0, bottom - top);
            band.rect(bar);
            edges.rect(bar);
            continue;
        }
        let highs: Vec<(f64, f64)> = run.iter().map(|(at, (_, high))| place(*at, *high)).collect();
        let lows: Vec<(f64, f64)> = run.iter().map(|(at, (low, _))| place(*at, *low)).collect();
        let (mut outline, lows) = (decimate(&highs), decimate(&lows));
        edges.polyline(&outline);
        edges.polyline(&lows);
        outline.extend(lows.into_iter().rev());
        band.ring(&outline);
    }
    canvas.path(&band, &Style::solid(paint).with_opacity(BAND_OPACITY), None);
    // On a dark ground the band alone could hardly be seen.
    canvas.path(&edges, &Style::line(paint, 0.8).with_opacity(BAND_EDGE_OPACITY), None);
}

/// Returns the periods without a value; adjacent ones are merged.
pub(crate) fn gaps(stops: &[Sample<'_>], interval: Interval) -> Vec<(LocalTime, LocalTime)> {
    let mut gaps: Vec<(LocalTime, LocalTime)> = Vec::new();
    let mut add = |from: LocalTime, to: LocalTime| match gaps.last_mut() {
        Some(last) if last.1 >= from => last.1 = last.1.max(to),
        _ => gaps.push((from, to)),
    };
    for (index, stop) in stops.iter().enumerate() {
        if stop.value.number().is_none() {
            add(stop.at, interval.end(stop.at));
        }
        if let Some(next) = stops.get(index + 1)
            && missing_between(interval, stop.at, next.at)
        {
            add(interval.end(stop.at), next.at);
        }
    }
    gaps
}

/// Keeps the first, lowest, highest and last point of each pixel column, which looks the same.
pub(crate) fn decimate(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let mut kept: Vec<(f64, f64)> = Vec::with_capacity(points.len().min(8192));
    let mut rest = points;
    while let Some(&(x, _)) = rest.first() {
        let column = x.floor();
        let length = rest.iter().take_while(|point| point.0.floor() == column).count().max(1);
        let (here, after) = rest.split_at(length);
        if here.len() <= 4 {
            kept.extend_from_slice(here);
        } else {
            let by_height = |one: &usize, other: &usize| here[*one].1.total_cmp(&here[*other].1);
            let highest = (0..here.len()).min_by(by_height).unwrap_or(0);
            let lowest = (0..here.len()).max_by(by_height).unwrap_or(0);
            let mut chosen = [0, highest, lowest, here.len() - 1];
            chosen.sort_unstable();
            kept.extend(
                chosen
                    .iter()
                    .enumerate()
                    .filter(|&(n, i)| n == 0 || chosen[n - 1] != *i)
                    .map(|(_, &i)| here[i]),
            );
        }
        rest = after;
    }
    kept
}

/// The radius of a marker that has room.
const MARKER_RADIUS: f64 = 3.6;
/// The distance of markers on a line that has no room for one at every point.
const SPARSE_MARKER_DISTANCE: f64 = 60.0;

/// Returns the positions of markers and their radius: at every point if there is room, and always at isolated points. On a longer line a
/// few would look like highlights, so that it has none, unless it is one of several lines, which differ by their markers.
fn place_markers(run: &[(f64, f64)], is_one_of_several: bool) -> (Vec<(f64, f64)>, f64) {
    let apart = match run {
        [] => return (Vec::new(), MARKER_RADIUS),
        [alone] => return (vec![*alone], MARKER_RADIUS),
        [first, .., last] => (last.0 - first.0) / (run.len() - 1) as f64,
    };
    if apart >= 7.0 {
        return (run.to_vec(), (apart * 0.3).min(MARKER_RADIUS));
    }
    if !is_one_of_several {
        return (Vec::new(), MARKER_RADIUS);
    }
    let mut next = run[0].0 + SPARSE_MARKER_DISTANCE / 2.0;
    let mut chosen = Vec::new();
    for &point in run {
        if point.0 >= next {
            chosen.push(point);
            next = point.0 + SPARSE_MARKER_DISTANCE;
        }
    }
    (chosen, MARKER_RADIUS)
}

/// Draws runs of points as one line with markers, over a wider line in the background colour that sets it off.
pub(crate) fn draw(
    canvas: &mut Canvas,
    runs: &[Vec<(f64, f64)>],
    look: &Style,
    marker: Option<(Marker, Paint)>,
    is_one_of_several: bool,
) {
    let mut trail = PathData::default();
    for run in runs {
        let thinned = decimate(run);
        if thinned.len() > 1 {
            trail.polyline(&thinned);
        }
    }
    // A thin line would be hidden by its outline.
    if let Some((_, width)) = look.stroke.filter(|(_, width)| *width > 1.6) {
        canvas.path(&trail, &Style::line(Paint::Surface, width + 2.0).with_opacity(0.75), None);
    }
    canvas.path(&trail, look, None);
    for run in runs {
        match (marker, run.as_slice()) {
            (Some((marker, paint)), _) => {
                let (places, radius) = place_markers(run, is_one_of_several);
                for at in places {
                    canvas.marker(at, marker, radius, paint, None);
                }
            }
            // A line of one point would be invisible.
            (None, &[at]) => canvas.marker(
                at,
                Marker::Circle,
                2.2,
                look.stroke.map_or(Paint::Ink, |(paint, _)| paint),
                None,
            ),
            (None, _) => {}
        }
    }
}

/// Returns the points that have a value, with the time at which it was measured.
pub(crate) fn numeric_points(points: &[Point]) -> Vec<(LocalTime, f64)> {
    let valued = |point: &Point| Some((point.original_at.unwrap_or(point.at), point.value.number()?));
    let mut found: Vec<(LocalTime, f64)> = points.iter().filter_map(valued).collect();
    found.sort_by_key(|(at, _)| *at);
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calendar::Date;

    fn day(day: u8) -> LocalTime {
        Date::new(2026, 3, day).unwrap().into()
    }

    #[test]
    fn a_line_breaks_at_gaps_and_at_missing_days() {
        let points = [
            Point::new(day(1), 1.0),
            Point::new(day(2), 2.0),
            Point::new(day(3), Value::Gap("no_runtime".into())),
            Point::new(day(4), 4.0),
            Point::new(day(7), 7.0),
        ];
        let stops = sorted_samples(&points);
        let lengths: Vec<usize> = split_at_gaps(&stops, Some(Interval::Day)).iter().map(Vec::len).collect();
        assert_eq!(lengths, [2, 1, 1]);
        assert_eq!(gaps(&stops, Interval::Day), [(day(3), day(4)), (day(5), day(7))]);
    }

    #[test]
    fn the_hour_that_clocks_skip_is_no_gap() {
        let at = |hour: u32| LocalTime::new(Date::new(2026, 3, 29).unwrap(), hour * 3600);
        let points = [Point::new(at(1), 1.0), Point::new(at(3), 2.0), Point::new(at(4), 2.0)];
        assert_eq!(split_at_gaps(&sorted_samples(&points), Some(Interval::Hour)).len(), 1);
        assert!(gaps(&sorted_samples(&points), Interval::Hour).is_empty());
    }

    #[test]
    fn a_line_is_marked_everywhere_or_not_at_all() {
        let run = |count: u32, apart: f64| -> Vec<(f64, f64)> {
            (0..count).map(|n| (f64::from(n) * apart, 0.0)).collect()
        };
        assert_eq!(place_markers(&run(10, 30.0), false), (run(10, 30.0), MARKER_RADIUS));
        let (places, radius) = place_markers(&run(28, 10.0), false);
        assert!(places.len() == 28 && (2.0..MARKER_RADIUS).contains(&radius), "{radius}");
        assert!(place_markers(&run(300, 2.0), false).0.is_empty());
        assert_eq!(place_markers(&run(1, 2.0), false).0.len(), 1);
        // Of several lines, each is recognised by its markers.
        assert!(place_markers(&run(300, 2.0), true).0.len() > 5);
    }

    #[test]
    fn a_value_of_the_previous_period_keeps_its_time() {
        let points = [Point::new(day(29), 2.0).measured_at(Some(day(1))), Point::new(day(30), 3.0)];
        assert_eq!(numeric_points(&points), [(day(1), 2.0), (day(30), 3.0)]);
    }

    #[test]
    fn a_thinned_line_keeps_its_peaks() {
        let points: Vec<(f64, f64)> = (0..100_000)
            .map(|n| (f64::from(n) / 100.0, if n == 54_321 { 900.0 } else { f64::from(n % 7) }))
            .collect();
        let thinned = decimate(&points);
        assert!(thinned.len() <= 4 * 1001, "{}", thinned.len());
        assert!(thinned.iter().any(|point| point.1 == 900.0));
    }
}
