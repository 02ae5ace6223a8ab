//! Items: the parts of a document that are never divided between pages.

use std::ops::Range;
use std::rc::Rc;

use crate::structure::NodeId;
use crate::style::Colour;
use crate::svg::Drawing;
use crate::text::ShapedText;

/// A part with a height, as wide as the text.
#[derive(Default)]
pub(crate) struct Item {
    pub(crate) height: f32,
    /// Space above, unless it is the first of a page.
    pub(crate) space: f32,
    /// Whether it must be on one page with the next item.
    pub(crate) keeps_with_next: bool,
    pub(crate) begins_page: bool,
    pub(crate) marks: Vec<Mark>,
    /// Repeated above it if it is the first of a page: the head of a table.
    pub(crate) head: Option<Rc<Item>>,
    /// The same drawn less tall, which may take the place of its drawing.
    pub(crate) low_drawing: Option<ScaledDrawing>,
    /// Level and text of a heading, for the outline.
    pub(crate) heading: Option<(u8, String)>,
}

/// What is drawn, with positions from the top left corner of its item.
#[derive(Clone)]
pub(crate) enum Mark {
    Text(TextMark),
    Drawing(DrawingMark),
    /// Decoration: a filled rectangle.
    Box {
        area: Area,
        fill: Colour,
    },
    /// Decoration: a filled shape with straight edges.
    Shape {
        points: Vec<(f32, f32)>,
        fill: Colour,
    },
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Area {
    pub(crate) x: f32,
    pub(crate) y: f32,
    pub(crate) width: f32,
    pub(crate) height: f32,
}

/// Lines of a text.
#[derive(Clone)]
pub(crate) struct TextMark {
    pub(crate) x: f32,
    /// The top of the first of the lines.
    pub(crate) y: f32,
    pub(crate) text: Rc<ShapedText>,
    pub(crate) lines: Range<usize>,
    /// What the text is part of; nothing if it only repeats what was said before.
    pub(crate) node: Option<NodeId>,
}

#[derive(Clone)]
pub(crate) struct DrawingMark {
    pub(crate) area: Area,
    pub(crate) drawing: Rc<Drawing>,
    pub(crate) node: NodeId,
}

/// A drawing and where it is in its item.
pub(crate) struct ScaledDrawing {
    pub(crate) area: Area,
    pub(crate) drawing: Rc<Drawing>,
}

impl Item {
    pub(crate) fn with_space(height: f32, space: f32) -> Self {
        Self { height, space, ..Self::default() }
    }

    /// Adds all lines of a text.
    pub(crate) fn add_text(&mut self, x: f32, y: f32, text: Rc<ShapedText>, node: Option<NodeId>) {
        let lines = 0..text.lines.len();
        if !lines.is_empty() {
            self.marks.push(Mark::Text(TextMark { x, y, text, lines, node }));
        }
    }

    pub(crate) fn add_box(&mut self, x: f32, y: f32, width: f32, height: f32, fill: Colour) {
        self.marks.push(Mark::Box { area: Area { x, y, width, height }, fill });
    }

    /// The height of the drawing in it, which can be made smaller.
    pub(crate) fn drawing_height(&self) -> Option<f32> {
        self.marks.iter().find_map(|mark| match mark {
            Mark::Drawing(drawing) => Some(drawing.area.height),
            _ => None,
        })
    }

    /// Takes the lower drawing, if there is one; what is below it moves up.
    pub(crate) fn lower_drawing(&mut self) {
        let Some(low) = self.low_drawing.take() else { return };
        self.shift(low.area.height - self.drawing_height().unwrap_or_default());
        for mark in &mut self.marks {
            if let Mark::Drawing(mark) = mark {
                (mark.area, mark.drawing) = (low.area, low.drawing.clone());
            }
        }
    }

    /// Makes the drawing smaller; what is below it moves up.
    pub(crate) fn shrink_drawing(&mut self, by: f32) {
        self.shift(-by);
        for mark in &mut self.marks {
            if let Mark::Drawing(DrawingMark { area, .. }) = mark {
                let width = area.width * (area.height - by) / area.height;
                let x = area.x + (area.width - width) / 2.0;
                *area = Area { x, y: area.y + by, width, height: area.height - by };
            }
        }
    }

    /// Moves everything down, and makes the item taller by as much.
    pub(crate) fn shift(&mut self, by: f32) {
        for mark in &mut self.marks {
            match mark {
                Mark::Drawing(drawing) => drawing.area.y += by,
                Mark::Text(text) => text.y += by,
                Mark::Box { area, .. } => area.y += by,
                Mark::Shape { points, .. } => points.iter_mut().for_each(|point| point.1 += by),
            }
        }
        self.height += by;
    }
}
