//! Bars per interval of time, stacked or side by side, optionally with a total as a line, or a rate as a line on a second axis.

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
use crate::over_time::slots::{Arrangement, Slot, build_slots, gaps, merge_slots, merge_smallest_series};
use crate::series::{Point, Series, Threshold, join_reasons};
use crate::svg::colour::Paint;
use crate::svg::label::{Anchor, Label};
use crate::svg::shape::{PathData, Rect};
use crate::svg::style::{Fill, Marker, SeriesStyle, Style, Tone, series_styles};
use crate::svg::text::{Weight, clean, width};

/// A rate in percent, drawn with the bars.
#[derive(Clone, Debug, PartialEq)]
pub struct Rate {
    pub label: String,
    /// From 0 to 100.
    pub points: Vec<Point>,
}

/// The total of everything, which may be more than the bars show; drawn as a line on the axis of the bars.
#[derive(Clone, Debug, PartialEq)]
pub struct Total {
    pub label: String,
    pub points: Vec<Point>,
}

/// Amounts per interval as bars, such as runtime, acknowledged incursions or a daily score.
#[derive(Clone, Debug)]
pub struct TimeBars {
    /// The unit of the amounts, such as "hours per day".
    pub unit: String,
    /// The interval of one bar.
    pub interval: Interval,
    pub arrangement: Arrangement,
    pub scale: ValueScale,
    /// If there are more than ten, the smallest are combined; a neutral series is not counted.
    pub series: Vec<Series>,
    pub total: Option<Total>,
    /// Drawn on a second axis.
    pub rate: Option<Rate>,
    pub threshold: Option<Threshold>,
    /// Shown if there is no data.
    pub empty_reason: Option<String>,
}

impl TimeBars {
    #[must_use]
    pub fn svg(&self, picture: &ChartOptions) -> String {
        let mut frame = Frame::open(picture);
        let series = merge_smallest_series(&self.series, picture);
        let slots = build_slots(&series);
        let rated =
            self.rate.as_ref().map(|rate| gapped_line::sorted_samples(&rate.points)).unwrap_or_default();
        let summed =
            self.total.as_ref().map(|total| gapped_line::sorted_samples(&total.points)).unwrap_or_default();
        let stops = || rated.iter().chain(&summed);
        let times = || slots.keys().copied().chain(stops().map(|stop| stop.at));
        let any = slots.values().flatten().any(Option::is_some)
            || stops().any(|stop| stop.value.number().is_some());
        let (Some(first), Some(last), true) = (times().min(), times().max(), any) else {
            let why =
                join_reasons(self.series.iter().flat_map(|series| &series.points).map(|point| &point.value));
            return frame.empty(self.empty_reason.as_deref().or(Some(&why)));
        };
        let looks = series_styles(series.iter().map(|series| series.tone));
        let gaps = gaps(&slots, self.interval);
        let why =
            join_reasons(self.series.iter().flat_map(|series| &series.points).map(|point| &point.value));
        let partial = partial::spans(self.points(), self.interval);
        // What is not complete has its own hatch.
        let gap_bands = partial::outside(&gaps, &partial);
        let unrated = missing_rates(&rated, &gaps);
        let no_value = (!gap_bands.is_empty() || !unrated.is_empty())
            .then(|| no_value_label(picture, &join_reasons(self.points().map(|point| &point.value))));
        let mut entries = self.entries(&series, &looks, no_value.as_deref());
        if !partial.is_empty() {
            entries.push(partial::legend_entry(picture));
        }
        frame.legend(&entries);

        let wide = frame.content_area.width - 60.0;
        let count = self.interval.count(first, last) + 1;
        let group_size = (count as f64 / (wide / 3.0).max(1.0)).ceil().max(1.0) as i64;
        let merged = merge_slots(&slots, &partial, self.interval, first, group_size);
        if group_size > 1 {
            let template = picture.translations.mean_of(self.interval);
            frame.note(&describe::count(picture, template, group_size as usize, &[]));
        }
        let slot_width = wide / (count as f64 / group_size as f64).max(1.0);
        let grouped =
            self.arrangement == Arrangement::Grouped && slot_width * 0.8 / series.len().max(1) as f64 >= 3.0;
        let arrangement = if grouped { Arrangement::Grouped } else { Arrangement::Stacked };
        let labelled = self.rate.is_none() && !grouped && slot_width >= 34.0;

        let ticks = tick_count(plot_height(&frame, 2.0));
        let ends = merged.iter().map(|slot| slot.value_range(arrangement));
        // A label stands above the marker of the total.
        let above = if self.total.is_some() { TOTAL_MARKER_ROOM } else { 0.0 };
        let room_for_labels = match (labelled, self.scale) {
            (true, ValueScale::FromZero) => 1.06 + above / plot_height(&frame, 2.0),
            _ => 1.0,
        };
        let level = self.threshold.as_ref().and_then(Threshold::level);
        let whole =
            merged.iter().flat_map(|slot| slot.values.iter().flatten()).all(|value| value.fract() == 0.0);
        let values = ends.flat_map(|(low, high)| {
            let high = high * room_for_labels;
            [low, if whole { high.ceil() } else { high }]
        });
        let totals = summed.iter().filter_map(|stop| stop.value.number());
        let scale = Scale::for_values(self.scale, values.chain(level).chain(totals), ticks);
        let percent = Scale::percent(ticks);
        let second = self.rate.as_ref().map(|_| (&percent, "%"));
        let plane = PlotArea::draw(&mut frame, scale, &self.unit, second, 2.0);
        let area = plane.area;
        let axis = TimeAxis::new(first, self.interval.end(last), area.left, area.width, Some(self.interval));
        for &(from, to) in &gap_bands {
            draw_gap_band(&mut frame, area, axis.x(from), axis.x(to), &no_value_label(picture, &why));
        }
        partial::draw_bands(&mut frame, area, &axis, &partial);
        self.draw_bars(&mut frame, &plane, &axis, &merged, &series, &looks, arrangement);
        plane.draw_baseline(&mut frame);
        missing_marks::draw(&mut frame, area, &axis, &unrated, no_value.as_deref().unwrap_or_default());
        plane.draw_threshold(&mut frame, self.threshold.as_ref());
        let runs = gapped_line::split_at_gaps(&summed, Some(self.interval)).into_iter();
        let placed = |(at, value)| (axis.middle(at), plane.y(value));
        let runs: Vec<Vec<(f64, f64)>> = runs.map(|run| run.into_iter().map(placed).collect()).collect();
        let (look, marker) = total_look();
        gapped_line::draw(&mut frame.canvas, &runs, &look, Some(marker), false);
        let mut passed = draw_rate_line(&mut frame, area, &axis, &percent, &rated, self.interval);
        passed.extend(runs);
        plane.draw_threshold_label(&mut frame, self.threshold.as_ref(), &passed);
        if labelled {
            draw_totals(&mut frame, &plane, &axis, &merged, above);
        }
        let edges = (left_label_edge(&frame), frame.content_area.right());
        let ticks = axis.ticks(picture, frame.sizes.small, edges);
        plane.draw_time_ticks(&mut frame, &ticks, missing_marks::label_distance(&unrated));
        let mut summary = self.summary(picture, (first, last), gaps.len(), &why);
        summary.push_str(&partial::sentence(picture, &partial, self.interval));
        frame.close(&summary)
    }

    /// Returns the points of the bars and of the lines.
    fn points(&self) -> impl Iterator<Item = &Point> {
        let bars = self.series.iter().flat_map(|series| &series.points);
        let total = self.total.iter().flat_map(|total| &total.points);
        bars.chain(total).chain(self.rate.iter().flat_map(|rate| &rate.points))
    }

    fn entries(&self, series: &[Series], looks: &[SeriesStyle], no_value: Option<&str>) -> Vec<LegendEntry> {
        let mut entries: Vec<LegendEntry> = Vec::new();
        if series.len() > 1 || self.rate.is_some() || self.total.is_some() {
            entries.extend(series.iter().zip(looks).map(|(series, look)| {
                let entry = LegendEntry::filled(look, &series.label);
                if series.tone == Tone::Neutral { entry.essential() } else { entry }
            }));
        }
        if let Some(total) = &self.total {
            let (look, marker) = total_look();
            let mark = Mark::Line(look, Some(marker));
            entries.push(LegendEntry::new(mark, total.label.clone()).essential());
        }
        if let Some(rate) = &self.rate {
            let mark = Mark::Line(Style::line(Paint::Ink, 2.0), Some((Marker::Circle, Paint::Ink)));
            entries.push(LegendEntry::new(mark, rate.label.clone()).essential());
        }
        if let Some(label) = no_value {
            entries.push(LegendEntry::new(Mark::Swatch(Fill::NoData), label).essential());
        }
        entries
    }

    #[expect(clippy::too_many_arguments, reason = "all of them belong to one drawing")]
    fn draw_bars(
        &self,
        frame: &mut Frame<'_>,
        plane: &PlotArea,
        axis: &TimeAxis,
        slots: &[Slot],
        series: &[Series],
        looks: &[SeriesStyle],
        arrangement: Arrangement,
    ) {
        let narrow =
            slots.iter().map(|slot| axis.x(slot.to) - axis.x(slot.from)).fold(f64::INFINITY, f64::min);
        // Thousands of elements with titles would make the document large, and such narrow bars cannot be hovered over anyway.
        let alone = narrow >= 5.0 && slots.len() * series.len() <= 3000;
        let share = if narrow >= 5.0 { 0.74 } else { 1.0 };
        // The left edge and the width of the bars of a slot.
        let extent = |slot: &Slot| {
            let (left, right) = (axis.x(slot.from), axis.x(slot.to));
            let broad = ((right - left) * share).min(72.0);
            ((left + right - broad) / 2.0, broad)
        };
        let mut trails: Vec<PathData> = vec![PathData::default(); series.len()];
        for slot in slots {
            let (start, broad) = extent(slot);
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
                let area = Rect::new(left, one.min(other), broad, (one - other).abs());
                if area.height < 0.01 {
                    continue;
                }
                if alone {
                    let title = format!(
                        "{}, {}: {} {}",
                        clean(&series[index].label),
                        describe::format_instant(frame.options, slot.from, self.interval),
                        frame.options.translations.numbers.number(value),
                        clean(&self.unit)
                    );
                    let look = Style::filled(looks[index].fill()).with_stroke(Paint::Surface, 0.8);
                    frame.canvas.rect(area, &look, Some(&title));
                } else {
                    trails[index].rect(area);
                }
            }
        }
        for (trail, look) in trails.iter().zip(looks) {
            frame.canvas.path(trail, &Style::filled(look.fill()), None);
        }
        let mut hatched = PathData::default();
        for slot in slots.iter().filter(|slot| slot.partial) {
            let (low, high) = slot.value_range(arrangement);
            let (top, bottom) = (plane.y(high), plane.y(low));
            if bottom - top >= 0.01 {
                let (start, broad) = extent(slot);
                hatched.rect(Rect::new(start, top, broad, bottom - top));
            }
        }
        frame.canvas.path(&hatched, &Style::filled(Fill::Partial(Paint::Surface)), None);
    }

    fn summary(
        &self,
        picture: &ChartOptions,
        (first, last): (LocalTime, LocalTime),
        gaps: usize,
        why: &str,
    ) -> String {
        let translations = &picture.translations;
        let say = &translations.descriptions;
        let period = describe::period(picture, first, last, self.interval);
        let interval = translations.interval(self.interval);
        let unit = clean(&self.unit);
        let mut text = fill(say.bars, &[("unit", &unit), ("period", &period), ("interval", interval)]);
        let sum = if self.scale == ValueScale::Percent { Aggregate::Mean } else { Aggregate::Total };
        // A neutral series stands for others, so that it is described, too.
        let (described, others): (Vec<_>, Vec<_>) =
            self.series.iter().enumerate().partition(|(place, series)| {
                *place < describe::MAX_DESCRIBED || series.tone == Tone::Neutral
            });
        for (_, series) in described {
            let values = numeric_points(&series.points);
            text.push_str(&format!(
                " {}",
                describe::series(picture, &series.label, &values, self.interval, sum)
            ));
        }
        text.push_str(&describe::more(picture, others.len()));
        if let Some(total) = &self.total {
            let values = numeric_points(&total.points);
            let sentence = describe::series(picture, &total.label, &values, self.interval, sum);
            text.push_str(&format!(" {sentence}"));
        }
        if let Some(rate) = &self.rate {
            let sentence = describe::series(
                picture,
                &rate.label,
                &numeric_points(&rate.points),
                self.interval,
                Aggregate::Mean,
            );
            text.push_str(&format!(" {}", fill(say.in_percent, &[("sentence", &sentence)])));
        }
        text.push_str(&describe::gaps(picture, gaps, why));
        text
    }
}

fn total_look() -> (Style, (Marker, Paint)) {
    (Style::line(Paint::Ink, 1.8).with_dash(Some("6 3")), (Marker::Diamond, Paint::Ink))
}

/// Marks a range without a value.
pub(crate) fn draw_gap_band(frame: &mut Frame<'_>, area: Rect, from: f64, to: f64, title: &str) {
    let broad = (to - from).max(1.0);
    frame.canvas.rect(
        Rect::new(from, area.top, broad, area.height),
        &Style::filled(Fill::NoData),
        Some(title),
    );
}

/// Returns how far to the left a label may reach.
pub(crate) fn left_label_edge(frame: &Frame<'_>) -> f64 {
    frame.content_area.left - frame.sizes.margin / 2.0
}

/// Room for the marker of a total between a bar and its label.
const TOTAL_MARKER_ROOM: f64 = 6.0;

/// Writes the total above each stack, at this distance, if there is room for all of them. It is drawn over the line of the total, which
/// would cross it.
fn draw_totals(frame: &mut Frame<'_>, plane: &PlotArea, axis: &TimeAxis, slots: &[Slot], above: f64) {
    let size = frame.sizes.small;
    for slot in slots.iter().filter(|slot| slot.values.iter().any(Option::is_some)) {
        let (low, high) = slot.value_range(Arrangement::Stacked);
        if low < 0.0 {
            continue;
        }
        let label = frame.options.translations.numbers.compact(high);
        let (left, right) = (axis.x(slot.from), axis.x(slot.to));
        let y = plane.y(high) - 4.0 - above;
        if width(&label, size, Weight::Regular) <= right - left && y - size > plane.area.top - 4.0 {
            let label = Label::new((left + right) / 2.0, y, &label, size).anchored(Anchor::Middle);
            frame.canvas.text(&label.haloed(Paint::Surface));
        }
    }
}

/// Draws the line of the rate, and returns its points.
fn draw_rate_line(
    frame: &mut Frame<'_>,
    area: Rect,
    axis: &TimeAxis,
    scale: &Scale,
    stops: &[Sample<'_>],
    interval: Interval,
) -> Vec<Vec<(f64, f64)>> {
    let runs: Vec<Vec<(f64, f64)>> = gapped_line::split_at_gaps(stops, Some(interval))
        .into_iter()
        .map(|run| {
            run.into_iter()
                .map(|(at, v)| (axis.middle(at), area.bottom() - scale.fraction(v) * area.height))
                .collect()
        })
        .collect();
    gapped_line::draw(
        &mut frame.canvas,
        &runs,
        &Style::line(Paint::Ink, 2.0),
        Some((Marker::Circle, Paint::Ink)),
        false,
    );
    runs
}

/// Returns the times at which there is no rate although there are bars, with the reason.
fn missing_rates(stops: &[Sample<'_>], gaps: &[(LocalTime, LocalTime)]) -> Vec<(LocalTime, String)> {
    let is_gap = |at: LocalTime| {
        let after = gaps.partition_point(|(from, _)| *from <= at);
        after > 0 && at < gaps[after - 1].1
    };
    let missing = stops.iter().filter(|stop| stop.value.number().is_none() && !is_gap(stop.at));
    missing.map(|stop| (stop.at, stop.value.reason().map(clean).unwrap_or_default())).collect()
}
