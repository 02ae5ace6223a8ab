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

    pub(crate) fn draw_time_ticks(&self, frame: &mut Frame<'_>, ticks: &[Tick]) {
        let small = frame.sizes.small;
        let bottom = self.area.bottom();
        for tick in ticks {
            frame.canvas.line((tick.x, bottom), (tick.x, bottom + 4.0), &Style::line(Paint::Axis, 1.0));
            let label =
                Label::new(tick.label_x, bottom + 5.0 + small, &tick.label, small).painted(Paint::Muted);
            frame.canvas.text(&label.anchored(Anchor::Middle));
            if let Some(under) = &tick.sublabel {
                let y = bottom + 5.0 + small * 2.35;
                let label = Label::new(tick.sublabel_x, y, under, small).painted(Paint::Muted);
                frame.canvas.text(&label.anchored(Anchor::Middle));
            }
        }
    }

    /// Draws the threshold, with its label at the left if it fits.
    pub(crate) fn draw_threshold(&self, frame: &mut Frame<'_>, threshold: Option<&Threshold>) {
        let Some((threshold, level)) = threshold.and_then(|t| t.level().map(|level| (t, level))) else {
            return;
        };
        let y = self.y(level);
        frame.canvas.line(
            (self.area.left, y),
            (self.area.right(), y),
            &Style::line(Paint::Danger, 1.5).with_dash(Some("2 3")),
        );
        let small = frame.sizes.small;
        let label = clean(&threshold.label);
        let above = if y - small * 1.6 > self.area.top { y - small * 0.45 } else { y + small * 1.15 };
        frame.canvas.text(
            &Label::new(self.area.left + 4.0, above, &label, small)
                .haloed(Paint::Surface)
                .with_max_width(self.area.width - 8.0),
        );
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
