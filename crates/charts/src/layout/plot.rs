//! The plot area: grid, axes with their units, and labels.

use crate::layout::frame::Frame;
use crate::layout::scale::Scale;
use crate::layout::time_axis::Tick;
use crate::series::Threshold;
use crate::svg::colour::Paint;
use crate::svg::label::{Anchor, Label};
use crate::svg::shape::Rect;
use crate::svg::style::Style;
use crate::svg::text::{Weight, clean, width};

/// Returns the number of ticks for an axis of this height.
pub(crate) fn tick_count(height: f64) -> f64 {
    (height / 46.0).clamp(2.0, 8.0)
}

/// Returns the height of one or two rows of labels below the plot area.
pub(crate) fn label_rows_height(frame: &Frame<'_>, rows: f64) -> f64 {
    frame.sizes.small * 1.4 * rows + 6.0
}

/// Returns the height of the plot area, less the unit above and the labels below.
pub(crate) fn plot_height(frame: &Frame<'_>, rows: f64) -> f64 {
    (frame.content_area.height - frame.sizes.small * 1.9 - label_rows_height(frame, rows)).max(10.0)
}

/// Returns the maximum share of the width for the labels of rows; in a narrow chart they need more of it.
pub(crate) fn max_label_share(frame: &Frame<'_>) -> f64 {
    if frame.content_area.width < 480.0 { 0.37 } else { 0.3 }
}

/// The area that values are drawn on.
pub(crate) struct PlotArea {
    pub(crate) area: Rect,
    scale: Scale,
}

impl PlotArea {
    /// Draws the grid and the value axis, and a second axis on the right if there is one.
    pub(crate) fn draw(
        frame: &mut Frame<'_>,
        scale: Scale,
        unit: &str,
        second: Option<(&Scale, &str)>,
        rows: f64,
    ) -> Self {
        let (small, numbers) = (frame.sizes.small, frame.options.translations.numbers);
        let ticks = scale.ticks(numbers);
        let widest = |ticks: &[(f64, String)]| {
            ticks.iter().map(|(_, label)| width(label, small, Weight::Regular)).fold(0.0, f64::max)
        };
        let left = widest(&ticks) + 8.0;
        let right = second.map_or(small, |(scale, _)| widest(&scale.ticks(numbers)) + 8.0);
        let room = frame.content_area;
        let top = room.top + small * 1.9;
        let area =
            Rect::new(room.left + left, top, (room.width - left - right).max(10.0), plot_height(frame, rows));
        let unit_width = match second {
            Some(_) => room.width / 2.0 - 6.0,
            None => room.width,
        };
        let unit = scale.unit(unit);
        let baseline = room.top + small;
        frame.canvas.text(
            &Label::new(room.left, baseline, &unit, small).painted(Paint::Muted).with_max_width(unit_width),
        );
        let mut above = LabelSpacing::default();
        for (value, label) in &ticks {
            let y = area.bottom() - scale.fraction(*value) * area.height;
            frame.canvas.line((area.left, y), (area.right(), y), &Style::line(Paint::Grid, 1.0));
            if !above.has_room(y, small) {
                continue;
            }
            let label = Label::new(area.left - 8.0, y + small * 0.36, label, small).painted(Paint::Muted);
            frame.canvas.text(&label.anchored(Anchor::End));
        }
        if let Some((second, unit)) = second {
            let label = Label::new(room.right(), baseline, unit, small).painted(Paint::Muted);
            frame.canvas.text(&label.anchored(Anchor::End).with_max_width(unit_width));
            let mut above = LabelSpacing::default();
            for (value, label) in second.ticks(numbers) {
                let y = area.bottom() - second.fraction(value) * area.height;
                frame.canvas.line((area.right(), y), (area.right() + 4.0, y), &Style::line(Paint::Axis, 1.0));
                if !above.has_room(y, small) {
                    continue;
                }
                let label =
                    Label::new(area.right() + 8.0, y + small * 0.36, &label, small).painted(Paint::Muted);
                frame.canvas.text(&label);
            }
        }
        Self { area, scale }
    }

    pub(crate) fn y(&self, value: f64) -> f64 {
        self.area.bottom() - self.scale.fraction(value) * self.area.height
    }

    /// Draws the line at zero over the bars that stand on it.
    pub(crate) fn draw_baseline(&self, frame: &mut Frame<'_>) {
        let y = self.y(0.0);
        frame.canvas.line((self.area.left, y), (self.area.right(), y), &Style::line(Paint::Axis, 1.2));
    }

    /// Draws the ticks of the time axis, and their labels so much lower than they would be directly below it.
    pub(crate) fn draw_time_ticks(&self, frame: &mut Frame<'_>, ticks: &[Tick], lower: f64) {
        let small = frame.sizes.small;
        let bottom = self.area.bottom();
        let labels = bottom + 5.0 + lower;
        for tick in ticks {
            frame.canvas.line((tick.x, bottom), (tick.x, bottom + 4.0), &Style::line(Paint::Axis, 1.0));
            let label = Label::new(tick.label_x, labels + small, &tick.label, small).painted(Paint::Muted);
            frame.canvas.text(&label.anchored(Anchor::Middle));
            if let Some(under) = &tick.sublabel {
                let y = labels + small * 2.35;
                let label = Label::new(tick.sublabel_x, y, under, small).painted(Paint::Muted);
                frame.canvas.text(&label.anchored(Anchor::Middle));
            }
        }
    }

    /// Draws the line of the threshold, below the data.
    pub(crate) fn draw_threshold(&self, frame: &mut Frame<'_>, threshold: Option<&Threshold>) {
        let Some(level) = threshold.and_then(Threshold::level) else { return };
        let y = self.y(level);
        frame.canvas.line(
            (self.area.left, y),
            (self.area.right(), y),
            &Style::line(Paint::Danger, 1.5).with_dash(Some("2 3")),
        );
    }

    /// Labels the threshold over the data, at the first place along it through which none of these lines passes; otherwise at the left.
    pub(crate) fn draw_threshold_label(
        &self,
        frame: &mut Frame<'_>,
        threshold: Option<&Threshold>,
        lines: &[Vec<(f64, f64)>],
    ) {
        let Some((threshold, level)) = threshold.and_then(|t| t.level().map(|level| (t, level))) else {
            return;
        };
        let (y, small, label) = (self.y(level), frame.sizes.small, clean(&threshold.label));
        let max_width = self.area.width - 8.0;
        let long = width(&label, small, Weight::Regular).min(max_width);
        let is_free = |left: f64, baseline: f64| {
            let top = baseline - small * 0.8;
            let taken = Rect::new(left - 3.0, top - 3.0, long + 6.0, small + 6.0);
            !lines.iter().any(|line| passes_through(line, taken))
        };
        let baselines = self.threshold_baselines(y, small);
        let places = [0.0, 1.0, 0.5, 0.25, 0.75].into_iter().flat_map(|share| {
            let left = self.area.left + 4.0 + share * (max_width - long);
            baselines.iter().map(move |baseline| (left, *baseline))
        });
        let places: Vec<(f64, f64)> = places.collect();
        let free = places.iter().find(|(left, baseline)| is_free(*left, *baseline));
        let Some(&(left, baseline)) = free.or(places.first()) else { return };
        let label = Label::new(left, baseline, &label, small).haloed(Paint::Surface);
        frame.canvas.text(&label.with_max_width(max_width));
    }

    /// Returns where the label of a threshold may stand: above the line and below it, as far as there is room.
    fn threshold_baselines(&self, y: f64, small: f64) -> Vec<f64> {
        let (above, below) = (y - small * 0.45, y + small * 1.15);
        let has_room_above = y - small * 1.6 > self.area.top;
        let has_room_below = !has_room_above || y + small * 1.5 < self.area.bottom();
        let places = [has_room_above.then_some(above), has_room_below.then_some(below)];
        places.into_iter().flatten().collect()
    }
}

/// Whether a line from point to point passes through an area.
fn passes_through(line: &[(f64, f64)], area: Rect) -> bool {
    let bottom_to_top = |from: f64, to: f64| from.max(to) >= area.top && from.min(to) <= area.bottom();
    let part = |(x, y): (f64, f64), (to_x, to_y): (f64, f64)| {
        let (left, right) = (x.min(to_x).max(area.left), x.max(to_x).min(area.right()));
        if left > right {
            return false;
        }
        if (to_x - x).abs() < f64::EPSILON {
            return bottom_to_top(y, to_y);
        }
        let at = |place: f64| y + (to_y - y) * (place - x) / (to_x - x);
        bottom_to_top(at(left), at(right))
    };
    match line {
        [point] => part(*point, *point),
        line => line.windows(2).any(|ends| part(ends[0], ends[1])),
    }
}

/// Spaces labels from the bottom up; in a low chart not every grid line has room for one.
#[derive(Default)]
struct LabelSpacing(Option<f64>);

impl LabelSpacing {
    fn has_room(&mut self, y: f64, size: f64) -> bool {
        let has_room = self.0.is_none_or(|last| last - y >= size * 1.25);
        if has_room {
            self.0 = Some(y);
        }
        has_room
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_passes_through_what_it_crosses() {
        let area = Rect::new(10.0, 10.0, 20.0, 10.0);
        for line in [
            vec![(0.0, 0.0), (40.0, 30.0)],
            vec![(15.0, 0.0), (15.0, 100.0)],
            vec![(0.0, 0.0), (5.0, 5.0), (12.0, 12.0)],
            vec![(20.0, 15.0)],
        ] {
            assert!(passes_through(&line, area), "{line:?}");
        }
        for line in [
            vec![(0.0, 5.0), (40.0, 9.0)],
            vec![(0.0, 30.0), (40.0, 21.0)],
            vec![(0.0, 15.0), (9.0, 15.0)],
            // Around the corner.
            vec![(0.0, 12.0), (12.0, 0.0)],
            vec![(5.0, 15.0)],
            Vec::new(),
        ] {
            assert!(!passes_through(&line, area), "{line:?}");
        }
    }
}
