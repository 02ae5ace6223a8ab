//! Lines over time: measured values, the previous period and a trend, with the ranges of values as bands. Gaps interrupt the line.

use std::collections::{BTreeMap, BTreeSet};

use crate::calendar::{Interval, LocalTime};
use crate::descriptions::fill;
use crate::layout::describe::{self, Aggregate, no_value_label};
use crate::layout::frame::Frame;
use crate::layout::legend::{LegendEntry, Mark};
use crate::layout::plot::{PlotArea, plot_height, tick_count};
use crate::layout::scale::{Scale, ValueScale};
use crate::layout::time_axis::TimeAxis;
use crate::options::ChartOptions;
use crate::over_time::gapped_line::{self, Sample, numeric_points};
use crate::over_time::missing_marks;
use crate::over_time::partial;
use crate::over_time::time_bars::{draw_gap_band, left_label_edge};
use crate::series::{Point, Threshold, Value, join_reasons};
use crate::svg::colour::Paint;
use crate::svg::shape::Rect;
use crate::svg::style::{Fill, MAX_STYLES, Marker, SeriesStyle, Style, Tone, series_styles};
use crate::svg::text::clean;

/// The kind of a line, which decides its style.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum LineKind {
    /// Measured values.
    #[default]
    Measured,
    /// Values of the previous period, shifted by the caller to the times of this one; grey and dashed.
    Previous,
    /// A trend of the measured values; thin and dotted.
    Trend,
    /// No line, but the ranges of its points as a band, such as those of all members without a line of their own.
    Band,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Line {
    pub label: String,
    pub kind: LineKind,
    /// Used for measured lines only.
    pub tone: Tone,
    /// In any order.
    pub points: Vec<Point>,
}

/// Values over time as lines, such as trends, rates or scores.
#[derive(Clone, Debug)]
pub struct TimeLines {
    /// The unit of the values, such as "incursions per runtime hour".
    pub unit: String,
    /// The interval of one value.
    pub interval: Interval,
    pub scale: ValueScale,
    /// Measured lines beyond the tenth are thin and grey. If their points have ranges, these are drawn as bands.
    pub lines: Vec<Line>,
    pub threshold: Option<Threshold>,
    /// Shown if there is no data.
    pub empty_reason: Option<String>,
}

/// A line with its style.
struct StyledLine<'a> {
    line: &'a Line,
    stops: Vec<Sample<'a>>,
    look: Style,
    marker: Option<(Marker, Paint)>,
    /// Whether it is a measured line with its own colour.
    has_own_colour: bool,
}

impl StyledLine<'_> {
    fn paint(&self) -> Paint {
        self.look.stroke.map_or(Paint::Ink, |(paint, _)| paint)
    }

    /// Whether its ranges are drawn.
    fn has_band(&self) -> bool {
        let is_drawn = self.has_own_colour || self.line.kind == LineKind::Band;
        is_drawn && self.stops.iter().any(|stop| stop.range.is_some())
    }
}

impl TimeLines {
    #[must_use]
    pub fn svg(&self, picture: &ChartOptions) -> String {
        let mut frame = Frame::open(picture);
        let drawn = self.styled_lines(frame.content_area.width);
        let measured = |drawn: &&StyledLine<'_>| drawn.line.kind == LineKind::Measured;
        let stops = || drawn.iter().flat_map(|drawn| drawn.stops.iter());
        let values = || {
            let ranges = stops().filter_map(|stop| stop.range).flat_map(|(low, high)| [low, high]);
            stops().filter_map(|stop| stop.value.number()).chain(ranges)
        };
        let why = join_reasons(
            drawn.iter().filter(measured).flat_map(|drawn| drawn.stops.iter().map(|stop| stop.value)),
        );
        let times = || drawn.iter().flat_map(|drawn| drawn.stops.iter().map(|stop| stop.at));
        let (Some(first), Some(last), true) = (times().min(), times().max(), values().next().is_some())
        else {
            return frame.empty(self.empty_reason.as_deref().or(Some(&why)));
        };
        let gaps = shared_gaps(&drawn, self.interval);
        let some_gaps = partial_gaps(&drawn);
        let partial = partial::spans(self.measured_points(), self.interval);
        // What is not complete has its own hatch.
        let gap_bands = partial::outside(&gaps, &partial);
        let no_value = no_value_label(picture, &why);
        let has_gaps = !gap_bands.is_empty() || !some_gaps.is_empty();
        let mut entries = entries(picture, &drawn, Some(no_value.as_str()).filter(|_| has_gaps));
        if !partial.is_empty() {
            entries.push(partial::legend_entry(picture));
        }
        frame.legend(&entries);

        let level = self.threshold.as_ref().and_then(Threshold::level);
        let height = plot_height(&frame, 2.0);
        let reached = values().chain(self.room_for_markers(&drawn, height)).chain(level);
        let scale = Scale::for_values(self.scale, reached, tick_count(height));
        let plane = PlotArea::draw(&mut frame, scale, &self.unit, None, 2.0);
        let area = plane.area;
        let axis = TimeAxis::new(first, self.interval.end(last), area.left, area.width, Some(self.interval));
        for &(from, to) in &gap_bands {
            draw_gap_band(&mut frame, area, axis.x(from), axis.x(to), &no_value);
        }
        partial::draw_bands(&mut frame, area, &axis, &partial);
        plane.draw_baseline(&mut frame);
        missing_marks::draw(&mut frame, area, &axis, &some_gaps, &no_value);
        for drawn in drawn.iter().filter(|drawn| drawn.has_band()) {
            let place = |at, value| (axis.middle(at), plane.y(value));
            gapped_line::draw_ranges(&mut frame.canvas, &drawn.stops, self.interval, place, drawn.paint());
        }
        plane.draw_threshold(&mut frame, self.threshold.as_ref());
        let are_several = drawn.iter().filter(measured).count() > 1;
        // Measured lines are on top, the first one above the others.
        let order = |kind: LineKind| drawn.iter().rev().filter(move |drawn| drawn.line.kind == kind);
        let mut passed: Vec<Vec<(f64, f64)>> = Vec::new();
        for drawn in order(LineKind::Previous).chain(order(LineKind::Measured)).chain(order(LineKind::Trend))
        {
            let runs: Vec<Vec<(f64, f64)>> =
                gapped_line::split_at_gaps(&drawn.stops, self.interval_of(drawn))
                    .into_iter()
                    .map(|run| run.into_iter().map(|(at, value)| (axis.middle(at), plane.y(value))).collect())
                    .collect();
            gapped_line::draw(&mut frame.canvas, &runs, &drawn.look, drawn.marker, are_several);
            passed.extend(runs);
        }
        plane.draw_threshold_label(&mut frame, self.threshold.as_ref(), &passed);
        self.draw_tooltips(&mut frame, &plane, &axis, &drawn);
        let edges = (left_label_edge(&frame), frame.content_area.right());
        let ticks = axis.ticks(picture, frame.sizes.small, edges);
        plane.draw_time_ticks(&mut frame, &ticks, missing_marks::label_distance(&some_gaps));
        let mut summary = self.summary(picture, first, last, gaps.len(), &why);
        summary.push_str(&partial::sentence(picture, &partial, self.interval));
        frame.close(&summary)
    }

    /// Returns the highest value with room for its marker below the upper end of the scale.
    fn room_for_markers(&self, drawn: &[StyledLine<'_>], height: f64) -> Option<f64> {
        let marked = drawn.iter().filter(|drawn| drawn.marker.is_some());
        let values = || marked.clone().flat_map(|drawn| &drawn.stops).filter_map(|stop| stop.value.number());
        let highest = values().fold(0.0, f64::max);
        let reached = highest * (1.0 + MARKER_ROOM / height);
        let is_whole = values().all(|value| value.fract() == 0.0);
        // A share cannot exceed 100 %.
        (self.scale == ValueScale::FromZero).then(|| if is_whole { reached.ceil() } else { reached })
    }

    fn measured_points(&self) -> impl Iterator<Item = &Point> {
        let measured = self.lines.iter().filter(|line| line.kind == LineKind::Measured);
        measured.flat_map(|line| &line.points)
    }

    /// A trend may be given by its two ends only, without anything missing in between.
    fn interval_of(&self, drawn: &StyledLine<'_>) -> Option<Interval> {
        match drawn.line.kind {
            LineKind::Trend => None,
            LineKind::Measured | LineKind::Previous | LineKind::Band => Some(self.interval),
        }
    }

    fn styled_lines(&self, width: f64) -> Vec<StyledLine<'_>> {
        let measured = |line: &&Line| line.kind == LineKind::Measured;
        let tones = self.lines.iter().filter(measured).take(MAX_STYLES).map(|line| line.tone);
        let leading = series_styles(tones);
        let mut looks = leading.iter().copied();
        let several = self.lines.iter().filter(measured).count() > 1;
        let longest = self.lines.iter().filter(measured).map(|line| line.points.len()).max().unwrap_or(0);
        // Dashes would make a line that changes at every pixel noisy.
        let dense = longest as f64 > width / 4.0;
        // With several lines, each one's previous period and trend have its colour.
        let (mut previous, mut trends) = (0, 0);
        let beside = |count: &mut usize, alone: Paint, dashes: [&'static str; 4]| {
            let place = *count;
            *count += 1;
            let paint = leading.get(place).filter(|_| several).map_or(alone, |look| look.paint);
            (paint, Some(dashes[place % dashes.len()]))
        };
        self.lines
            .iter()
            .map(|line| {
                let stops = gapped_line::sorted_samples(&line.points);
                let (look, marker, leads) = match line.kind {
                    LineKind::Measured => match looks.next() {
                        Some(SeriesStyle { paint, marker, .. }) if dense => {
                            let marker = if several { Some((marker, paint)) } else { None };
                            (Style::line(paint, 1.2), marker, true)
                        }
                        Some(SeriesStyle { paint, dash, marker, .. }) => {
                            (Style::line(paint, 2.2).with_dash(dash), Some((marker, paint)), true)
                        }
                        None => (Style::line(Paint::Axis, 1.0), None, false),
                    },
                    LineKind::Previous => {
                        let dashes = ["6 4", "3 5", "10 5", "10 4 2 4"];
                        let (paint, dash) = beside(&mut previous, Paint::Neutral, dashes);
                        (Style::line(paint, 1.4).with_dash(dash), None, false)
                    }
                    LineKind::Trend => {
                        let dashes = ["1.5 3.5", "1.5 6", "4 2 1 2", "8 2 1 2"];
                        let (paint, dash) = beside(&mut trends, Paint::Ink, dashes);
                        (Style::line(paint, 1.5).with_dash(dash), None, false)
                    }
                    LineKind::Band => (Style::line(Paint::Neutral, 1.0), None, false),
                };
                StyledLine { line, stops, look, marker, has_own_colour: leads }
            })
            .collect()
    }

    /// Adds a tooltip to each point, unless there are too many.
    fn draw_tooltips(
        &self,
        frame: &mut Frame<'_>,
        plane: &PlotArea,
        axis: &TimeAxis,
        drawn: &[StyledLine<'_>],
    ) {
        let count: usize = drawn.iter().map(|drawn| drawn.stops.len()).sum();
        if count > 400 {
            return;
        }
        let (unit, numbers) = (clean(&self.unit), frame.options.translations.numbers);
        for drawn in drawn.iter().filter(|drawn| drawn.has_own_colour) {
            for stop in &drawn.stops {
                let Some(value) = stop.value.number() else { continue };
                let at = describe::format_instant(frame.options, stop.at, self.interval);
                let range = stop.range.map_or_else(String::new, |(low, high)| {
                    format!(" ({}–{})", numbers.number(low), numbers.number(high))
                });
                let title =
                    format!("{}, {at}: {}{range} {unit}", clean(&drawn.line.label), numbers.number(value));
                let area = Rect::new(axis.middle(stop.at) - 5.0, plane.y(value) - 5.0, 10.0, 10.0);
                frame.canvas.rect(area, &Style::solid(Paint::Surface).with_opacity(0.0), Some(&title));
            }
        }
    }

    fn summary(
        &self,
        picture: &ChartOptions,
        first: LocalTime,
        last: LocalTime,
        gaps: usize,
        why: &str,
    ) -> String {
        let translations = &picture.translations;
        let (say, numbers) = (&translations.descriptions, translations.numbers);
        let period = describe::period(picture, first, last, self.interval);
        let interval = translations.interval(self.interval);
        let unit = clean(&self.unit);
        let mut text = fill(say.lines, &[("unit", &unit), ("period", &period), ("interval", interval)]);
        // A band stands for others, so that it is described, too.
        let (described, others): (Vec<_>, Vec<_>) = self
            .lines
            .iter()
            .enumerate()
            .partition(|(place, line)| *place < describe::MAX_DESCRIBED || line.kind == LineKind::Band);
        for (_, line) in described {
            let values = numeric_points(&line.points);
            let label = clean(&line.label);
            let sentence = match (line.kind, values.first(), values.last()) {
                (LineKind::Band, ..) => {
                    let ranges = line.points.iter().filter_map(Point::drawable_range);
                    match ranges.reduce(|all, range| (all.0.min(range.0), all.1.max(range.1))) {
                        Some((low, high)) => {
                            let (low, high) = (numbers.number(low), numbers.number(high));
                            fill(say.range, &[("label", &label), ("lowest", &low), ("highest", &high)])
                        }
                        None => fill(say.no_value, &[("label", &label)]),
                    }
                }
                (LineKind::Trend, Some(from), Some(to)) => {
                    let (from, to) = (numbers.number(from.1), numbers.number(to.1));
                    fill(say.trend, &[("label", &label), ("from", &from), ("to", &to)])
                }
                _ => describe::series(picture, &line.label, &values, self.interval, Aggregate::Mean),
            };
            text.push_str(&format!(" {sentence}"));
        }
        text.push_str(&describe::more(picture, others.len()));
        if let Some((threshold, level)) = self.threshold.as_ref().and_then(|t| Some((t, t.level()?))) {
            text.push_str(&format!(" {}: {}.", clean(&threshold.label), numbers.number(level)));
        }
        text.push_str(&describe::gaps(picture, gaps, why));
        text
    }
}

/// Room for a marker between the highest value and the upper end of the scale, in pixels.
const MARKER_ROOM: f64 = 6.0;

/// Returns the entries of the legend; `no_value` explains the marks of missing values, if there are any.
fn entries(picture: &ChartOptions, drawn: &[StyledLine<'_>], no_value: Option<&str>) -> Vec<LegendEntry> {
    let others =
        drawn.iter().filter(|drawn| drawn.line.kind == LineKind::Measured && !drawn.has_own_colour).count();
    let ranged = drawn.iter().find(|drawn| drawn.has_own_colour && drawn.has_band());
    let alone = drawn.len() == 1 && ranged.is_none();
    let entry = |drawn: &StyledLine<'_>| {
        let label = drawn.line.label.clone();
        match drawn.line.kind {
            LineKind::Band => LegendEntry::new(Mark::Band(drawn.paint()), label).essential(),
            _ => LegendEntry::new(Mark::Line(drawn.look, drawn.marker), label),
        }
    };
    let mut entries: Vec<LegendEntry> = drawn
        .iter()
        .filter(|drawn| (drawn.has_own_colour && !alone) || drawn.line.kind != LineKind::Measured)
        .map(entry)
        .collect();
    if let Some(ranged) = ranged {
        let label = clean(&picture.translations.range);
        entries.push(LegendEntry::new(Mark::Band(ranged.paint()), label).essential());
    }
    if others > 0 {
        let words = &picture.translations;
        let label = format!("{} {}", words.numbers.count(others), clean(&words.others));
        let mark = Mark::Line(Style::line(Paint::Axis, 1.0), None);
        entries.push(LegendEntry::new(mark, label).essential());
    }
    if let Some(label) = no_value {
        entries.push(LegendEntry::new(Mark::Swatch(Fill::NoData), label).essential());
    }
    entries
}

/// Returns the periods in which no measured line has a value.
fn shared_gaps(drawn: &[StyledLine<'_>], interval: Interval) -> Vec<(LocalTime, LocalTime)> {
    let (some, none) = (Value::Number(0.0), Value::Gap(String::new()));
    let mut times: BTreeMap<LocalTime, bool> = BTreeMap::new();
    for stop in
        drawn.iter().filter(|drawn| drawn.line.kind == LineKind::Measured).flat_map(|drawn| &drawn.stops)
    {
        *times.entry(stop.at).or_default() |= stop.value.number().is_some();
    }
    let stops: Vec<Sample<'_>> = times
        .iter()
        .map(|(&at, &valued)| Sample { at, value: if valued { &some } else { &none }, range: None })
        .collect();
    gapped_line::gaps(&stops, interval)
}

/// Returns the times at which some measured lines have no value although others have, with their names and reasons.
fn partial_gaps(drawn: &[StyledLine<'_>]) -> Vec<(LocalTime, String)> {
    let leading = || drawn.iter().filter(|drawn| drawn.has_own_colour);
    let valued: BTreeSet<LocalTime> = leading()
        .flat_map(|drawn| drawn.stops.iter())
        .filter(|stop| stop.value.number().is_some())
        .map(|stop| stop.at)
        .collect();
    let mut missing: BTreeMap<LocalTime, Vec<String>> = BTreeMap::new();
    for drawn in leading() {
        let gaps = drawn.stops.iter().filter(|stop| stop.value.number().is_none());
        for stop in gaps.filter(|stop| valued.contains(&stop.at)) {
            let reason = stop.value.reason().map(clean).unwrap_or_default();
            missing.entry(stop.at).or_default().push(format!("{}: {reason}", clean(&drawn.line.label)));
        }
    }
    missing.into_iter().map(|(at, lines)| (at, lines.join("; "))).collect()
}
