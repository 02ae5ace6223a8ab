//! Bars per interval of time, stacked or side by side, with a rate as a line on a second axis if there is one.

use crate::calendar::{Interval, LocalTime};
use crate::colour::Paint;
use crate::course::{self, Stop};
use crate::describe::{self, Sum};
use crate::frame::Frame;
use crate::label::{Anchor, Label};
use crate::legend::{Entry, Mark};
use crate::look::{Character, Fill, Look, Marker, characters};
use crate::number::{compact, number};
use crate::picture::Picture;
use crate::plot::{Plane, height, steps};
use crate::scale::{Scale, ValueScale};
use crate::series::{Point, Series, Threshold, reasons};
use crate::shape::{Area, Trail};
use crate::slots::{Slot, folded, gaps, merge, slots};
use crate::text::{Weight, clean, width};
use crate::time_axis::TimeAxis;

/// How the bars of several series stand at one time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Arrangement {
    /// On top of one another.
    #[default]
    Stacked,
    /// Side by side, while there is room; stacked otherwise.
    Grouped,
}

/// A rate in percent that goes with the bars.
#[derive(Clone, Debug, PartialEq)]
pub struct Rate {
    /// What the rate is of.
    pub label: String,
    /// From 0 to 100.
    pub points: Vec<Point>,
}

/// Amounts per interval of time, as bars: runtime of machines, incursions acknowledged and not, a score per day.
#[derive(Clone, Debug)]
pub struct TimeBars {
    /// What the amounts are in: "hours per day".
    pub unit: String,
    /// What one bar stands for.
    pub interval: Interval,
    /// How the bars of several series stand.
    pub arrangement: Arrangement,
    /// How the axis is chosen.
    pub scale: ValueScale,
    /// The amounts. Beyond seven, the smaller ones are put together.
    pub series: Vec<Series>,
    /// A rate that goes with them, on a second axis.
    pub rate: Option<Rate>,
    /// A level to hold the bars against.
    pub threshold: Option<Threshold>,
    /// Why there is nothing, if there is nothing.
    pub empty_reason: Option<String>,
}

impl TimeBars {
    /// Draws the bars.
    #[must_use]
    pub fn svg(&self, picture: &Picture) -> String {
        let mut frame = Frame::open(picture);
        let series = folded(&self.series, picture);
        let slots = slots(&series);
        let rated = self.rate.as_ref().map(|rate| course::stops(&rate.points)).unwrap_or_default();
        let times = || slots.keys().copied().chain(rated.iter().map(|stop| stop.at));
        let any = slots.values().flatten().any(Option::is_some)
            || rated.iter().any(|stop| stop.value.number().is_some());
        let (Some(first), Some(last), true) = (times().min(), times().max(), any) else {
            let why = reasons(self.series.iter().flat_map(|series| &series.points).map(|point| &point.value));
            return frame.empty(self.empty_reason.as_deref().or(Some(&why)));
        };
        let looks = characters(series.iter().map(|series| series.tone));
        let gaps = gaps(&slots, self.interval);
        let why = reasons(self.series.iter().flat_map(|series| &series.points).map(|point| &point.value));
        frame.legend(&self.entries(picture, &series, &looks, !gaps.is_empty(), &why));

        let wide = frame.room.width - 60.0;
        let count = self.interval.count(first, last) + 1;
        let together = (count as f64 / (wide / 3.0).max(1.0)).ceil().max(1.0) as i64;
        let merged = merge(&slots, self.interval, first, together);
        if together > 1 {
            let (words, unit) = (&picture.words, clean(&self.unit));
            frame.note(&format!("{unit}, {} {together}", clean(&words.mean_of)));
        }
        let slot_width = wide / (count as f64 / together as f64).max(1.0);
        let grouped =
            self.arrangement == Arrangement::Grouped && slot_width * 0.8 / series.len().max(1) as f64 >= 3.0;
        let arrangement = if grouped { Arrangement::Grouped } else { Arrangement::Stacked };
        let labelled = self.rate.is_none() && !grouped && slot_width >= 34.0;

        let ticks = steps(height(&frame, 2.0));
        let ends = merged.iter().map(|slot| slot.ends(arrangement));
        let room_for_labels = if labelled && self.scale == ValueScale::FromZero { 1.06 } else { 1.0 };
        let level = self.threshold.as_ref().and_then(Threshold::level);
        let whole =
            merged.iter().flat_map(|slot| slot.values.iter().flatten()).all(|value| value.fract() == 0.0);
        let values = ends.flat_map(|(low, high)| {
            let high = high * room_for_labels;
            [low, if whole { high.ceil() } else { high }]
        });
        let scale = Scale::chosen(self.scale, values.chain(level), ticks);
        let percent = Scale::percent(ticks);
        let second = self.rate.as_ref().map(|_| (&percent, "%"));
        let plane = Plane::draw(&mut frame, scale, &self.unit, second, 2.0);
        let area = plane.area;
        let axis = TimeAxis::new(first, self.interval.end(last), area.left, area.width, Some(self.interval));
        for &(from, to) in &gaps {
            band(&mut frame, area, axis.x(from), axis.x(to), &no_value(picture, &why));
        }
        self.bars(&mut frame, &plane, &axis, &merged, &series, &looks, arrangement);
        plane.ground(&mut frame);
        plane.threshold(&mut frame, self.threshold.as_ref());
        if labelled {
            totals(&mut frame, &plane, &axis, &merged);
        }
        rate_line(&mut frame, area, &axis, &percent, &rated, self.interval);
        let edges = (picture_edge(&frame), frame.room.right());
        let ticks = axis.ticks(picture, frame.sizes.small, edges);
        plane.time_ticks(&mut frame, &ticks);
        let summary = self.summary(picture, (first, last), gaps.len(), &why);
        frame.close(&summary)
    }

    fn entries(
        &self,
        picture: &Picture,
        series: &[Series],
        looks: &[Character],
        gaps: bool,
        why: &str,
    ) -> Vec<Entry> {
        let mut entries: Vec<Entry> = Vec::new();
        if series.len() > 1 || self.rate.is_some() {
            entries.extend(series.iter().zip(looks).map(|(series, look)| Entry::filled(look, &series.label)));
        }
        if let Some(rate) = &self.rate {
            let mark = Mark::Line(Look::line(Paint::Ink, 2.0), Some((Marker::Circle, Paint::Ink)));
            entries.push(Entry::new(mark, rate.label.clone()));
        }
        let unrated = || self.rate.iter().flat_map(|rate| &rate.points).map(|point| &point.value);
        if unrated().any(|value| value.number().is_none()) {
            let label = no_value(picture, &reasons(unrated()));
            entries.push(Entry::new(Mark::Point(Marker::Cross, Paint::Ink), label));
        }
        if gaps {
            entries.push(Entry::new(Mark::Swatch(Fill::Absent), no_value(picture, why)));
        }
        entries
    }

    #[expect(clippy::too_many_arguments, reason = "all of it is one drawing")]
    fn bars(
        &self,
        frame: &mut Frame<'_>,
        plane: &Plane,
        axis: &TimeAxis,
        slots: &[Slot],
        series: &[Series],
        looks: &[Character],
        arrangement: Arrangement,
    ) {
        let narrow =
            slots.iter().map(|slot| axis.x(slot.to) - axis.x(slot.from)).fold(f64::INFINITY, f64::min);
        // Thousands of elements with a title each would make a heavy picture, and no bar could be pointed at.
        let alone = narrow >= 5.0 && slots.len() * series.len() <= 3000;
        let mut trails: Vec<Trail> = vec![Trail::default(); series.len()];
        for slot in slots {
            let (left, right) = (axis.x(slot.from), axis.x(slot.to));
            let share = if narrow >= 5.0 { 0.74 } else { 1.0 };
            let broad = ((right - left) * share).min(72.0);
            let start = (left + right - broad) / 2.0;
            let (mut low, mut high) = (0.0, 0.0);
            for (index, value) in slot.values.iter().enumerate() {
                let Some(value) = *value else { continue };
                let (from, to, left, broad) = match arrangement {
                    Arrangement::Grouped => {
                        let each = broad / series.len() as f64;
                        (0.0, value, start + each * index as f64, (each - 1.0).max(each * 0.8))
                    }
                    Arrangement::Stacked => {
                        let foot = if value < 0.0 { &mut low } else { &mut high };
                        let from = *foot;
                        *foot += value;
                        (from, *foot, start, broad)
                    }
                };
                let (one, other) = (plane.y(from), plane.y(to));
                let area = Area::new(left, one.min(other), broad, (one - other).abs());
                if area.height < 0.01 {
                    continue;
                }
                if alone {
                    let title = format!(
                        "{}, {}: {} {}",
                        clean(&series[index].label),
                        describe::moment(frame.picture, slot.from, self.interval),
                        number(value),
                        clean(&self.unit)
                    );
                    let look = Look::filled(looks[index].fill()).edged(Paint::Surface, 0.8);
                    frame.canvas.rect(area, &look, Some(&title));
                } else {
                    trails[index].rect(area);
                }
            }
        }
        for (trail, look) in trails.iter().zip(looks) {
            frame.canvas.path(trail, &Look::filled(look.fill()), None);
        }
    }

    fn summary(
        &self,
        picture: &Picture,
        (first, last): (LocalTime, LocalTime),
        gaps: usize,
        why: &str,
    ) -> String {
        let period = describe::period(picture, first, last, self.interval);
        let mut text = format!("Bars of {} {period}, one per {}.", clean(&self.unit), self.interval.name());
        let sum = if self.scale == ValueScale::Percent { Sum::Mean } else { Sum::Total };
        for series in self.series.iter().take(describe::MOST) {
            let values = numbers(&series.points);
            text.push_str(&format!(
                " {}",
                describe::series(picture, &series.label, &values, self.interval, sum)
            ));
        }
        if self.series.len() > describe::MOST {
            text.push_str(&format!(" {} more.", number((self.series.len() - describe::MOST) as f64)));
        }
        if let Some(rate) = &self.rate {
            let sentence =
                describe::series(picture, &rate.label, &numbers(&rate.points), self.interval, Sum::Mean);
            text.push_str(&format!(" In percent, {sentence}"));
        }
        text.push_str(&describe::gaps(gaps, why));
        text
    }
}

/// The values of points that have one.
pub(crate) fn numbers(points: &[Point]) -> Vec<(LocalTime, f64)> {
    course::stops(points).iter().filter_map(|stop| Some((stop.at, stop.value.number()?))).collect()
}

/// What the mark of a gap is called.
pub(crate) fn no_value(picture: &Picture, why: &str) -> String {
    let word = clean(&picture.words.no_value);
    if why.is_empty() { word } else { format!("{word}: {why}") }
}

/// Shows that there is no value from one place to another.
pub(crate) fn band(frame: &mut Frame<'_>, area: Area, from: f64, to: f64, title: &str) {
    let broad = (to - from).max(1.0);
    frame.canvas.rect(
        Area::new(from, area.top, broad, area.height),
        &Look::filled(Fill::Absent),
        Some(title),
    );
}

/// How far to the left a label may reach.
pub(crate) fn picture_edge(frame: &Frame<'_>) -> f64 {
    frame.room.left - frame.sizes.margin / 2.0
}

/// Writes the sum of each stack above it, where all have room.
fn totals(frame: &mut Frame<'_>, plane: &Plane, axis: &TimeAxis, slots: &[Slot]) {
    let size = frame.sizes.small;
    for slot in slots.iter().filter(|slot| slot.values.iter().any(Option::is_some)) {
        let (low, high) = slot.ends(Arrangement::Stacked);
        if low < 0.0 {
            continue;
        }
        let label = compact(high);
        let (left, right) = (axis.x(slot.from), axis.x(slot.to));
        let y = plane.y(high) - 4.0;
        if width(&label, size, Weight::Regular) <= right - left && y - size > plane.area.top - 4.0 {
            let label = Label::new((left + right) / 2.0, y, &label, size).anchored(Anchor::Middle);
            frame.canvas.text(&label.haloed(Paint::Surface));
        }
    }
}

fn rate_line(
    frame: &mut Frame<'_>,
    area: Area,
    axis: &TimeAxis,
    scale: &Scale,
    stops: &[Stop<'_>],
    interval: Interval,
) {
    let runs: Vec<Vec<(f64, f64)>> = course::runs(stops, Some(interval))
        .into_iter()
        .map(|run| {
            run.into_iter()
                .map(|(at, v)| (axis.middle(at), area.bottom() - scale.share(v) * area.height))
                .collect()
        })
        .collect();
    course::draw(&mut frame.canvas, &runs, &Look::line(Paint::Ink, 2.0), Some((Marker::Circle, Paint::Ink)));
    let mut last = f64::NEG_INFINITY;
    for stop in stops.iter().filter(|stop| stop.value.number().is_none()) {
        let spot = (axis.middle(stop.at), area.bottom() - 6.0);
        if spot.0 - last >= CROSSES_APART {
            frame.canvas.marker(spot, Marker::Cross, 2.6, Paint::Ink, stop.value.reason());
            last = spot.0;
        }
    }
}

/// Crosses that mark gaps stand so far apart at least, so that many of them do not run together.
pub(crate) const CROSSES_APART: f64 = 7.0;
