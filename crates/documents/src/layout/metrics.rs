//! Metrics: cards beside each other.

use std::rc::Rc;

use super::Layouter;
use crate::layout::item::{Item, Mark};
use crate::limits::Error;
use crate::model::{Metric, MetricChange, Tone, Trend};
use crate::structure::{NodeId, Role};
use crate::style::{Colour, TextStyle};
use crate::text::ShapedText;

const GAP: f32 = 8.0;
const PADDING: f32 = 9.0;
/// The coloured edge of a card.
const EDGE: f32 = 3.0;
/// The triangle before a change, and the space after it.
const TRIANGLE: f32 = 6.0;
const AFTER_TRIANGLE: f32 = 4.0;

const LABEL: TextStyle = TextStyle { size: 8.0, colour: Colour::MUTED, max_lines: 3, ..TextStyle::CELL };
const VALUE_SIZE: f32 = 20.0;
const CHANGE: TextStyle = TextStyle { size: 8.0, max_lines: 3, ..TextStyle::CELL };
const NOTE: TextStyle = TextStyle { size: 7.5, colour: Colour::MUTED, max_lines: 5, ..TextStyle::CELL };

/// The texts of a card.
struct Card {
    label: Rc<ShapedText>,
    value: Rc<ShapedText>,
    change: Option<(Rc<ShapedText>, MetricChange)>,
    note: Rc<ShapedText>,
}

/// Where the parts of cards begin: equal for all of a row, so that values stand beside values.
struct Rows {
    value: f32,
    change: f32,
    note: f32,
    height: f32,
}

impl Layouter<'_> {
    pub(super) fn metrics(&mut self, metrics: &[Metric]) -> Result<(), Error> {
        let columns = match metrics.len() {
            0 => return Ok(()),
            count @ 1..=4 => count.max(2),
            5 | 6 | 9 => 3,
            _ => 4,
        };
        let section = self.structure.add_root(Role::Section);
        let width = (self.width - GAP * (columns - 1) as f32) / columns as f32;
        for (index, row) in metrics.chunks(columns).enumerate() {
            let cards: Vec<Card> = row.iter().map(|metric| self.card(metric, width)).collect();
            let rows = Rows::of(&cards);
            let mut item = Item::with_space(rows.height, if index == 0 { 12.0 } else { GAP });
            for (index, card) in cards.into_iter().enumerate() {
                let node = self.structure.add(section, Role::Section);
                self.draw_card(&mut item, card, &rows, index as f32 * (width + GAP), width, node);
            }
            self.push(item)?;
        }
        Ok(())
    }

    fn card(&mut self, metric: &Metric, width: f32) -> Card {
        let inner = width - 2.0 * PADDING;
        let change = metric.change.as_ref().map(|change| {
            let style = CHANGE.coloured(Colour::of_text(change.tone)).bold();
            let text = self.shaper.shape_plain(&change.text, &style, inner - TRIANGLE - AFTER_TRIANGLE);
            (text, change.clone())
        });
        Card {
            label: self.shaper.shape_plain(&metric.label, &LABEL, inner),
            value: self.value(&metric.value, inner),
            change: change.filter(|(text, _)| !text.lines.is_empty()),
            note: self.shaper.shape_plain(&metric.note, &NOTE, inner),
        }
    }

    /// Sets the value as large as it fits into one line.
    fn value(&mut self, value: &str, width: f32) -> Rc<ShapedText> {
        let style = TextStyle::CELL.bold().sized(VALUE_SIZE).within(2);
        let natural = self.shaper.shape_plain(value, &style.within(1), f32::MAX).width();
        let size = if natural > width { (VALUE_SIZE * width / natural).max(9.0) } else { VALUE_SIZE };
        self.shaper.shape_plain(value, &style.sized(size), width)
    }

    fn draw_card(&mut self, item: &mut Item, card: Card, rows: &Rows, left: f32, width: f32, node: NodeId) {
        let tone = card.change.as_ref().map_or(Tone::Plain, |(_, change)| change.tone);
        item.add_box(left, 0.0, width, rows.height, Colour::PANEL);
        item.add_box(left, 0.0, width, EDGE, Colour::of_mark(tone));
        let x = left + PADDING;
        self.add_paragraph(item, x, EDGE + PADDING - 2.0, card.label, node);
        self.add_paragraph(item, x, rows.value, card.value, node);
        if let Some((text, change)) = card.change {
            let middle = rows.change + CHANGE.line_height() / 2.0;
            let points = triangle(change.trend, x, middle);
            item.marks.push(Mark::Shape { points, fill: Colour::of_mark(change.tone) });
            self.add_paragraph(item, x + TRIANGLE + AFTER_TRIANGLE, rows.change, text, node);
        }
        self.add_paragraph(item, x, rows.note, card.note, node);
    }

    fn add_paragraph(&mut self, item: &mut Item, x: f32, y: f32, text: Rc<ShapedText>, parent: NodeId) {
        if !text.lines.is_empty() {
            let node = self.structure.add(parent, Role::Paragraph);
            item.add_text(x, y, text, Some(node));
        }
    }
}

impl Rows {
    fn of(cards: &[Card]) -> Self {
        let tallest = |part: fn(&Card) -> f32| cards.iter().map(part).fold(0.0, f32::max);
        let value = EDGE + PADDING + tallest(|card| card.label.height());
        let change = value + tallest(|card| card.value.height()) + 1.0;
        let changes = tallest(|card| card.change.as_ref().map_or(0.0, |(text, _)| text.height() + 3.0));
        let note = change + changes;
        Self { value, change, note, height: note + tallest(|card| card.note.height()) + PADDING }
    }
}

/// A triangle that points up or down, or a bar.
fn triangle(trend: Trend, left: f32, middle: f32) -> Vec<(f32, f32)> {
    let (half, right) = (TRIANGLE / 2.0 - 0.4, left + TRIANGLE);
    match trend {
        Trend::Up => {
            vec![(left, middle + half), (right, middle + half), (left + TRIANGLE / 2.0, middle - half)]
        }
        Trend::Down => {
            vec![(left, middle - half), (right, middle - half), (left + TRIANGLE / 2.0, middle + half)]
        }
        Trend::Level => {
            vec![(left, middle - 1.0), (right, middle - 1.0), (right, middle + 1.0), (left, middle + 1.0)]
        }
    }
}
