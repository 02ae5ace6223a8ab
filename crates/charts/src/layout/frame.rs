//! The frame of every chart: background, title, legend, notes, and the remaining area for the data.

use crate::layout::legend::{self, LegendEntry};
use crate::options::{ChartOptions, MIN_READABLE_SIDE};
use crate::svg::canvas::Canvas;
use crate::svg::colour::Paint;
use crate::svg::label::{Anchor, Label};
use crate::svg::shape::Rect;
use crate::svg::style::Style;
use crate::svg::text::{Fitted, Weight, clean, wrap, wrap_parts};

/// A chart under construction, with the area that remains for the data.
pub(crate) struct Frame<'a> {
    pub(crate) canvas: Canvas,
    pub(crate) options: &'a ChartOptions,
    pub(crate) sizes: Sizes,
    /// The remaining area.
    pub(crate) content_area: Rect,
    size: (f64, f64),
}

/// The font sizes of a chart.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sizes {
    pub(crate) title: f64,
    pub(crate) text: f64,
    pub(crate) small: f64,
    pub(crate) margin: f64,
}

impl Sizes {
    /// Returns the sizes for the shorter side of a chart, in pixels.
    fn for_side(side: f64) -> Self {
        if side < f64::from(MIN_READABLE_SIDE) {
            Self { title: 13.0, text: 10.5, small: 9.5, margin: 10.0 }
        } else if side < 320.0 {
            Self { title: 14.0, text: 12.0, small: 12.0, margin: 10.0 }
        } else {
            Self { title: 17.0, text: 12.0, small: 12.0, margin: 18.0 }
        }
    }
}

/// Maximum share of the height for title and subtitle, if they have several lines.
const MAX_HEADER_SHARE: f64 = 0.33;
/// Distance of the lines of a text, relative to its size.
const LINE_HEIGHT: f64 = 1.3;
/// Minimum share of the height that a legend leaves to the data.
const MIN_DATA_SHARE: f64 = 0.42;
/// Minimum height that a legend leaves to the data, in pixels: axes, labels and a note need it.
const MIN_DATA_HEIGHT: f64 = 84.0;

impl<'a> Frame<'a> {
    pub(crate) fn open(picture: &'a ChartOptions) -> Self {
        let size = picture.size();
        let sizes = Sizes::for_side(size.0.min(size.1));
        let mut canvas = Canvas::new(picture.theme);
        canvas.rect(Rect::new(0.0, 0.0, size.0, size.1), &Style::solid(Paint::Surface), None);
        let margin = sizes.margin;
        let width = size.0 - 2.0 * margin;
        let has_title = !clean(&picture.title).is_empty();
        let mut top = margin + if has_title { sizes.title * 0.8 } else { 0.0 };
        // Room for further lines of title and subtitle: what they name must not be cut off, and the data need most of the height.
        let mut spare = size.1 * MAX_HEADER_SHARE - (top + sizes.text * 2.5);
        let max_lines = if spare >= sizes.title * LINE_HEIGHT { 2 } else { 1 };
        let lines = wrap(&picture.title, sizes.title, Weight::Bold, width, max_lines);
        draw_lines(&mut canvas, &lines, &picture.title, |line, index| {
            let y = top + sizes.title * LINE_HEIGHT * index as f64;
            Label::new(margin, y, line, sizes.title).bold().with_max_width(width)
        });
        let further = sizes.title * LINE_HEIGHT * lines.len().saturating_sub(1) as f64;
        (top, spare) = (top + further, spare - further);
        if let Some(subtitle) = picture.subtitle.as_deref().filter(|subtitle| !clean(subtitle).is_empty()) {
            top += sizes.text * if has_title { 1.6 } else { 0.8 };
            let max_lines = 1 + (spare / (sizes.text * LINE_HEIGHT)).floor().clamp(0.0, 5.0) as usize;
            let lines = wrap_parts(subtitle, " · ", sizes.text, width, max_lines);
            draw_lines(&mut canvas, &lines, subtitle, |line, index| {
                let y = top + sizes.text * LINE_HEIGHT * index as f64;
                Label::new(margin, y, line, sizes.text).painted(Paint::Muted).with_max_width(width)
            });
            top += sizes.text * LINE_HEIGHT * lines.len().saturating_sub(1) as f64;
        }
        if top > margin {
            top += sizes.text * 0.9;
        }
        let room = Rect::new(margin, top, width, size.1 - margin - top);
        let mut frame = Self { canvas, options: picture, sizes, content_area: room, size };
        if let Some(note) = &picture.note {
            frame.note(&clean(note));
        }
        frame
    }

    /// Draws a legend at the top of the remaining area.
    pub(crate) fn legend(&mut self, entries: &[LegendEntry]) {
        let max_rows = self.max_legend_rows();
        let used = legend::draw(self, entries, max_rows);
        self.consume_top(used);
    }

    /// Whether a legend would have room for all of its entries.
    pub(crate) fn has_room_for_legend(&self, entries: &[LegendEntry]) -> bool {
        legend::has_room(self, entries, self.max_legend_rows())
    }

    /// A legend may have as many rows as leave enough room for the data.
    fn max_legend_rows(&self) -> usize {
        let data = (self.size.1 * MIN_DATA_SHARE).max(MIN_DATA_HEIGHT);
        ((self.content_area.height - data) / (self.sizes.text * legend::ROW_HEIGHT)).floor().max(1.0) as usize
    }

    /// Writes a note at the bottom of the remaining area.
    pub(crate) fn note(&mut self, note: &str) {
        if note.is_empty() {
            return;
        }
        let size = self.sizes.small;
        let (left, room) = (self.content_area.left, self.content_area.width);
        let max_lines = if self.size.1 >= 320.0 { 3 } else { 1 };
        let lines = wrap(note, size, Weight::Regular, room, max_lines);
        let used = size * (0.3 + 1.4 * lines.len() as f64);
        self.content_area.height = (self.content_area.height - used).max(0.0);
        let bottom = self.content_area.bottom();
        draw_lines(&mut self.canvas, &lines, note, |line, index| {
            let baseline = bottom + size * 1.4 * (index + 1) as f64;
            Label::new(left, baseline, line, size).painted(Paint::Muted).with_max_width(room)
        });
    }

    pub(crate) fn consume_top(&mut self, height: f64) {
        let height = height.min(self.content_area.height);
        self.content_area.top += height;
        self.content_area.height -= height;
    }

    /// Completes the chart with a description of subtitle, summary and note, unless the caller has given one.
    pub(crate) fn close(self, summary: &str) -> String {
        let picture = self.options;
        let summed_up = || {
            let mut sentences: Vec<String> = Vec::new();
            for text in [picture.subtitle.as_deref(), Some(summary), picture.note.as_deref()] {
                let text = text.map(clean).unwrap_or_default();
                if !text.is_empty() {
                    let end = if text.ends_with(['.', '!', '?']) { "" } else { "." };
                    sentences.push(format!("{text}{end}"));
                }
            }
            sentences.join(" ")
        };
        let description = picture.description.clone().unwrap_or_else(summed_up);
        self.canvas.document(self.size, picture, &description)
    }

    /// Completes a chart without data, with the reason.
    pub(crate) fn empty(mut self, reason: Option<&str>) -> String {
        let picture = self.options;
        let reason = reason.map(clean).unwrap_or_default();
        self.canvas.rect(
            self.content_area,
            &Style::solid(Paint::Panel).with_stroke(Paint::Grid, 1.0).with_rounding(6.0),
            None,
        );
        let inner = self.content_area.width - 24.0;
        let line_height = self.sizes.text * 1.5;
        let max_lines = ((self.content_area.height / line_height) as usize).saturating_sub(2).min(6);
        let lines = wrap(&reason, self.sizes.text, Weight::Regular, inner, max_lines);
        let lines = if max_lines == 0 { Vec::new() } else { lines };
        let middle = self.content_area.left + self.content_area.width / 2.0;
        let mut y =
            self.content_area.top + (self.content_area.height - line_height * lines.len() as f64) / 2.0 + 2.0;
        let heading = self.sizes.title - 1.0;
        self.canvas.text(&Label {
            anchor: Anchor::Middle,
            weight: Weight::Bold,
            max_width: inner,
            ..Label::new(middle, y, &picture.translations.no_data, heading)
        });
        y += line_height * 1.15;
        for line in &lines {
            let label = Label::new(middle, y, &line.text, self.sizes.text).painted(Paint::Muted);
            self.canvas.text(&label.anchored(Anchor::Middle));
            y += line_height;
        }
        let no_data = clean(&picture.translations.no_data);
        let summary = if reason.is_empty() { format!("{no_data}.") } else { format!("{no_data}: {reason}") };
        self.close(&summary)
    }
}

/// Draws the lines of a text. The first one has the whole text as its title, if there are several or it is shortened.
fn draw_lines<'a>(
    canvas: &mut Canvas,
    lines: &'a [Fitted],
    whole: &'a str,
    label: impl Fn(&'a str, usize) -> Label<'a>,
) {
    for (index, line) in lines.iter().enumerate() {
        let is_part = lines.len() > 1 || line.full_text.is_some();
        canvas.text(&label(&line.text, index).part_of(Some(whole).filter(|_| is_part && index == 0)));
    }
}
