//! The legend, in rows from left to right.

use crate::layout::frame::Frame;
use crate::svg::colour::Paint;
use crate::svg::label::{Anchor, Label};
use crate::svg::shape::Rect;
use crate::svg::style::{BAND_OPACITY, Fill, Marker, SeriesStyle, Style};
use crate::svg::text::{Weight, clean, fit, width};

/// The mark that an entry explains.
#[derive(Clone, Debug)]
pub(crate) enum Mark {
    Swatch(Fill),
    /// An outlined swatch, for hollow shapes.
    Hollow(Paint),
    Line(Style, Option<(Marker, Paint)>),
    Point(Marker, Paint),
    /// A translucent swatch, for a range of values.
    Band(Paint),
    /// A swatch with a short text on it.
    Numbered(Paint, String),
}

/// A mark and its meaning.
#[derive(Clone, Debug)]
pub(crate) struct LegendEntry {
    pub(crate) mark: Mark,
    pub(crate) label: String,
}

impl LegendEntry {
    pub(crate) fn new(mark: Mark, label: impl Into<String>) -> Self {
        Self { mark, label: label.into() }
    }

    pub(crate) fn filled(character: &SeriesStyle, label: &str) -> Self {
        Self::new(Mark::Swatch(character.fill()), label)
    }
}

const MARK_WIDTH: f64 = 14.0;
const LINE_MARK_WIDTH: f64 = 30.0;
const MARK_GAP: f64 = 6.0;
const ENTRY_GAP: f64 = 18.0;

/// Draws the entries in at most `max_rows` rows and returns the height used.
pub(crate) fn draw(frame: &mut Frame<'_>, entries: &[LegendEntry], max_rows: usize) -> f64 {
    if entries.is_empty() {
        return 0.0;
    }
    let size = frame.sizes.text;
    let row_height = size * 1.6;
    let (left, right) = (frame.content_area.left, frame.content_area.right());
    let widest = (frame.content_area.width - LINE_MARK_WIDTH - MARK_GAP).min(260.0);
    let (mut x, mut row) = (left, 0);
    for (index, entry) in entries.iter().enumerate() {
        let mark_width = match entry.mark {
            Mark::Line(..) => LINE_MARK_WIDTH,
            _ => MARK_WIDTH,
        };
        let shown = fit(&entry.label, size, Weight::Regular, widest);
        let needed = mark_width + MARK_GAP + width(&shown.text, size, Weight::Regular);
        let left_after = entries.len() - index - 1;
        let last_row = row + 1 >= max_rows;
        // The last row must have room for the number of entries left out.
        let reserve =
            if last_row && left_after > 0 { ENTRY_GAP + width("+9999", size, Weight::Regular) } else { 0.0 };
        if x > left && x + needed + reserve > right {
            if last_row {
                let rest = format!("+{}", left_after + 1);
                let baseline = frame.content_area.top + row as f64 * row_height + size;
                let hidden: Vec<String> = entries[index..].iter().map(|entry| clean(&entry.label)).collect();
                frame.canvas.text(
                    &Label::new(x, baseline, &rest, size).painted(Paint::Muted).with_max_width(right - x),
                );
                let area = Rect::new(x, baseline - size, width(&rest, size, Weight::Regular), size * 1.2);
                frame.canvas.rect(
                    area,
                    &Style::solid(Paint::Surface).with_opacity(0.0),
                    Some(&hidden.join(", ")),
                );
                break;
            }
            row += 1;
            x = left;
        }
        let top = frame.content_area.top + row as f64 * row_height;
        let baseline = top + size;
        draw_mark(frame, &entry.mark, Rect::new(x, baseline - size * 0.36 - 6.0, mark_width, 12.0));
        let label =
            Label::new(x + mark_width + MARK_GAP, baseline, &entry.label, size).with_max_width(widest);
        frame.canvas.text(&label);
        x += needed + ENTRY_GAP;
    }
    (row + 1) as f64 * row_height + size * 0.35
}

fn draw_mark(frame: &mut Frame<'_>, mark: &Mark, area: Rect) {
    let middle = (area.left + area.width / 2.0, area.top + area.height / 2.0);
    match mark {
        Mark::Swatch(fill @ (Fill::NoData | Fill::Partial(_))) => {
            let look = Style::filled(*fill).with_stroke(Paint::Axis, 0.8).with_rounding(2.0);
            frame.canvas.rect(area, &look, None);
        }
        Mark::Swatch(Fill::Solid(Paint::Step(step))) => {
            let look = Style::solid(Paint::Step(*step)).with_stroke(Paint::Axis, 0.6).with_rounding(2.0);
            frame.canvas.rect(area, &look, None);
        }
        Mark::Swatch(fill) => frame.canvas.rect(area, &Style::filled(*fill).with_rounding(2.0), None),
        Mark::Hollow(paint) => {
            let look = Style::line(*paint, 1.4).with_dash(Some("3 2")).with_rounding(2.0);
            frame.canvas.rect(area, &look, None);
        }
        Mark::Line(look, marker) => {
            frame.canvas.line((area.left, middle.1), (area.right(), middle.1), look);
            if let Some((marker, paint)) = marker {
                frame.canvas.marker(middle, *marker, 3.6, *paint, None);
            }
        }
        Mark::Point(marker, paint) => frame.canvas.marker(middle, *marker, 3.6, *paint, None),
        Mark::Band(paint) => {
            let look = Style::solid(*paint).with_opacity(BAND_OPACITY).with_rounding(2.0);
            frame.canvas.rect(area, &look, None);
        }
        Mark::Numbered(paint, number) => {
            frame.canvas.rect(area, &Style::solid(*paint).with_rounding(2.0), None);
            let size = 9.0;
            let label = Label::new(middle.0, middle.1 + size * 0.36, number, size).painted(paint.text_on());
            frame.canvas.text(&label.anchored(Anchor::Middle).with_max_width(area.width));
        }
    }
}
