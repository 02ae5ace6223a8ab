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
    /// A translucent swatch, for a range of values.
    Band(Paint),
    /// A swatch with a short text on it, in the colour for text on this one.
    Numbered(Fill, Paint, String),
}

/// A mark and its meaning.
#[derive(Clone, Debug)]
pub(crate) struct LegendEntry {
    pub(crate) mark: Mark,
    pub(crate) label: String,
    /// Whether it is left out last, because it explains the whole chart and not one of many series.
    is_essential: bool,
}

impl LegendEntry {
    pub(crate) fn new(mark: Mark, label: impl Into<String>) -> Self {
        Self { mark, label: label.into(), is_essential: false }
    }

    pub(crate) fn essential(self) -> Self {
        Self { is_essential: true, ..self }
    }

    pub(crate) fn filled(character: &SeriesStyle, label: &str) -> Self {
        Self::new(Mark::Swatch(character.fill()), label)
    }
}

const MARK_WIDTH: f64 = 14.0;
const LINE_MARK_WIDTH: f64 = 30.0;
const MARK_GAP: f64 = 6.0;
const ENTRY_GAP: f64 = 18.0;
/// Height of a row, relative to the size of the text.
pub(crate) const ROW_HEIGHT: f64 = 1.6;

impl Mark {
    /// Returns the width; a text on it has this size.
    fn width(&self, size: f64) -> f64 {
        match self {
            Self::Line(..) => LINE_MARK_WIDTH,
            Self::Numbered(_, _, number) => (width(number, size, Weight::Regular) + 4.0).max(MARK_WIDTH),
            _ => MARK_WIDTH,
        }
    }
}

/// Returns the maximum width of a label.
fn max_label_width(frame: &Frame<'_>) -> f64 {
    (frame.content_area.width - LINE_MARK_WIDTH - MARK_GAP).min(260.0)
}

/// Returns the width of each entry.
fn widths(frame: &Frame<'_>, entries: &[LegendEntry]) -> Vec<f64> {
    let (size, small) = (frame.sizes.text, frame.sizes.small);
    let width_of = |entry: &LegendEntry| {
        let shown = fit(&entry.label, size, Weight::Regular, max_label_width(frame));
        entry.mark.width(small) + MARK_GAP + width(&shown.text, size, Weight::Regular)
    };
    entries.iter().map(width_of).collect()
}

/// Places items of these widths from left to right, and returns the left edge and the row of each.
fn place(widths: impl Iterator<Item = f64>, available: f64) -> Vec<(f64, usize)> {
    let (mut left, mut row) = (0.0, 0);
    let place = |width: f64| {
        if left > 0.0 && left + width > available {
            (left, row) = (0.0, row + 1);
        }
        let placed = (left, row);
        left += width + ENTRY_GAP;
        placed
    };
    widths.map(place).collect()
}

fn rows(placed: &[(f64, usize)]) -> usize {
    placed.last().map_or(0, |(_, row)| row + 1)
}

/// Whether all entries have room in `max_rows` rows.
pub(crate) fn has_room(frame: &Frame<'_>, entries: &[LegendEntry], max_rows: usize) -> bool {
    let widths = widths(frame, entries);
    rows(&place(widths.into_iter(), frame.content_area.width)) <= max_rows
}

/// Returns the indices of the entries in the order in which they are left out: from the end, those that are essential last.
fn dispensable(entries: &[LegendEntry]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..entries.len()).rev().collect();
    order.sort_by_key(|&index| entries[index].is_essential);
    order
}

/// Draws the entries in at most `max_rows` rows and returns the height used. Those without room are only counted.
pub(crate) fn draw(frame: &mut Frame<'_>, entries: &[LegendEntry], max_rows: usize) -> f64 {
    if entries.is_empty() {
        return 0.0;
    }
    let size = frame.sizes.text;
    let row_height = size * ROW_HEIGHT;
    let (left, available) = (frame.content_area.left, frame.content_area.width);
    let (widths, order) = (widths(frame, entries), dispensable(entries));
    let number_width = width("+9999", size, Weight::Regular);
    // The entries that are shown, and where the first hidden one would be, `None` for the number of hidden ones.
    let items = |left_out: usize| -> Vec<Option<usize>> {
        let hidden = &order[..left_out];
        let first = hidden.iter().min().copied();
        let item = |index: usize| match hidden.contains(&index) {
            true if first == Some(index) => Some(None),
            true => None,
            false => Some(Some(index)),
        };
        (0..entries.len()).filter_map(item).collect()
    };
    let place_items = |items: &[Option<usize>]| {
        place(items.iter().map(|item| item.map_or(number_width, |index| widths[index])), available)
    };
    let fits = |left_out: &usize| rows(&place_items(&items(*left_out))) <= max_rows;
    let left_out = (0..=entries.len()).find(fits).unwrap_or(entries.len());
    let items = items(left_out);
    let placed = place_items(&items);
    for (item, (x, row)) in items.iter().zip(&placed) {
        let (x, baseline) = (left + x, frame.content_area.top + *row as f64 * row_height + size);
        match item {
            Some(index) => draw_entry(frame, &entries[*index], (x, baseline)),
            None => {
                let mut hidden = order[..left_out].to_vec();
                hidden.sort_unstable();
                let names: Vec<String> = hidden.iter().map(|&index| clean(&entries[index].label)).collect();
                draw_number_left_out(frame, left_out, &names.join(", "), (x, baseline));
            }
        }
    }
    rows(&placed) as f64 * row_height + size * 0.35
}

fn draw_entry(frame: &mut Frame<'_>, entry: &LegendEntry, (x, baseline): (f64, f64)) {
    let size = frame.sizes.text;
    let mark_width = entry.mark.width(frame.sizes.small);
    draw_mark(frame, &entry.mark, Rect::new(x, baseline - size * 0.36 - 6.0, mark_width, 12.0));
    let widest = max_label_width(frame);
    let label = Label::new(x + mark_width + MARK_GAP, baseline, &entry.label, size).with_max_width(widest);
    frame.canvas.text(&label);
}

fn draw_number_left_out(frame: &mut Frame<'_>, number: usize, names: &str, (x, baseline): (f64, f64)) {
    let size = frame.sizes.text;
    let room = frame.content_area.right() - x;
    let text = format!("+{number}");
    frame.canvas.text(&Label::new(x, baseline, &text, size).painted(Paint::Muted).with_max_width(room));
    let area = Rect::new(x, baseline - size, width(&text, size, Weight::Regular), size * 1.2);
    frame.canvas.rect(area, &Style::solid(Paint::Surface).with_opacity(0.0), Some(names));
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
        Mark::Band(paint) => {
            let look = Style::solid(*paint).with_opacity(BAND_OPACITY).with_rounding(2.0);
            frame.canvas.rect(area, &look, None);
        }
        Mark::Numbered(fill, paint, number) => {
            frame.canvas.rect(area, &Style::filled(*fill).with_rounding(2.0), None);
            let size = frame.sizes.small;
            let label = Label::new(middle.0, middle.1 + size * 0.36, number, size).painted(paint.text_on());
            let label = label.anchored(Anchor::Middle).with_max_width(area.width);
            frame.canvas.text(&if *fill == Fill::Solid(*paint) { label } else { label.haloed(*paint) });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::ChartOptions;

    fn entry(label: &str) -> LegendEntry {
        LegendEntry::new(Mark::Band(Paint::Neutral), label)
    }

    #[test]
    fn what_explains_the_chart_is_left_out_last() {
        let mut entries: Vec<LegendEntry> = (0..12).map(|n| entry(&format!("Machine {n}"))).collect();
        entries.push(entry("All machines").essential());
        entries.push(entry("Incomplete").essential());
        let picture = ChartOptions { width: 360, ..ChartOptions::titled("") };
        let drawn = |max_rows: usize| {
            let mut frame = Frame::open(&picture);
            let fits = has_room(&frame, &entries, max_rows);
            draw(&mut frame, &entries, max_rows);
            (fits, frame.close(""))
        };
        let (fits, svg) = drawn(9);
        assert!(fits && svg.contains(">Machine 11</text>") && !svg.contains(">+"), "{svg}");
        let (fits, svg) = drawn(3);
        assert!(!fits && svg.contains(">Machine 0</text>") && !svg.contains(">Machine 11</text>"), "{svg}");
        assert!(svg.contains(">All machines</text>") && svg.contains(">Incomplete</text>"), "{svg}");
        // The number stands where the others would, and they are in its title.
        assert!(svg.contains(">+") && svg.find(">+") < svg.find(">All machines</text>"), "{svg}");
        assert!(svg.contains("Machine 10, Machine 11</title>"), "{svg}");
        // Even where there is hardly any room.
        assert!(drawn(1).1.contains(">+"));
    }
}
