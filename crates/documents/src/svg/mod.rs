//! Charts and maps: the SVG that the crate `charts` writes, as shapes and labels.
//!
//! Charts use few elements with presentation attributes only, so this reads exactly those, and refuses anything else by name. A
//! general renderer (krilla-svg with usvg and resvg) would add twenty crates, among them a second shaper that does not know what
//! to do with characters that the font lacks.

mod reader;

use crate::model::Weight;
use crate::style::Colour;

/// A picture.
#[derive(Debug)]
pub(crate) struct Drawing {
    pub(crate) width: f32,
    pub(crate) height: f32,
    pub(crate) patterns: Vec<Pattern>,
    /// From back to front.
    pub(crate) elements: Vec<Element>,
}

#[derive(Debug)]
pub(crate) enum Element {
    Shape(Shape),
    Label(Label),
}

#[derive(Debug)]
pub(crate) struct Shape {
    pub(crate) outline: Vec<Segment>,
    pub(crate) fill: Option<Paint>,
    pub(crate) is_even_odd: bool,
    pub(crate) stroke: Option<Stroke>,
    pub(crate) opacity: f32,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Segment {
    Move(f32, f32),
    Line(f32, f32),
    Curve([f32; 6]),
    Close,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Paint {
    Solid(Colour),
    /// An index into the patterns.
    Pattern(usize),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Stroke {
    pub(crate) colour: Colour,
    pub(crate) width: f32,
    pub(crate) has_round_joins: bool,
    pub(crate) dash: Vec<f32>,
}

/// A tile that fills a shape.
#[derive(Debug)]
pub(crate) struct Pattern {
    pub(crate) width: f32,
    pub(crate) height: f32,
    pub(crate) shapes: Vec<Shape>,
}

/// A line of text, by its baseline.
#[derive(Debug)]
pub(crate) struct Label {
    pub(crate) x: f32,
    pub(crate) y: f32,
    pub(crate) text: String,
    pub(crate) size: f32,
    pub(crate) weight: Weight,
    pub(crate) anchor: Anchor,
    pub(crate) colour: Colour,
    /// Around the letters, for text on top of lines.
    pub(crate) halo: Option<Stroke>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}
